package crashpoint

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

var points = []string{"one", "two"}

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want string // of the armings; empty: an error
	}{
		{"one:1:kill", "one:1:kill"},
		{"one:1:kill,two:50:exit", "one:1:kill two:50:exit"},
		{"one:1", ""},
		{"one:x:kill", ""},
		{"one:1.5:kill", ""},
		{"one:1:kill:more", ""},
	}
	for _, tt := range tests {
		all, err := Parse(tt.text)
		var got []string
		for _, a := range all {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != tt.want || (tt.want == "") != errors.Is(err, ErrBadArming) {
			t.Errorf("Parse(%q) = %v, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}

func TestArmRefuses(t *testing.T) {
	tests := []struct {
		arming Arming
		want   error
	}{
		{Arming{"three", 1, Kill}, ErrUnknownPoint},
		{Arming{"", 1, Kill}, ErrUnknownPoint},
		{Arming{"one", 0, Kill}, ErrBadArming},
		{Arming{"one", -1, Kill}, ErrBadArming},
		{Arming{"one", 1, "sleep"}, ErrBadArming},
	}
	for _, tt := range tests {
		s := New(points, os.Stderr)
		if err := s.Arm(tt.arming); !errors.Is(err, tt.want) || len(s.Armed()) != 0 {
			t.Errorf("Arm(%v) = %v, armed %v; want %v and nothing armed", tt.arming, err, s.Armed(), tt.want)
		}
	}
}

func TestHitDiesAtItsHitOnly(t *testing.T) {
	var out bytes.Buffer
	var deaths []Action
	s := New(points, &out)
	s.die = func(a Action) { deaths = append(deaths, a) }
	ctx := context.Background()
	s.Hit(ctx, "one") // idle: not counted
	if err := s.Arm(Arming{"one", 3, Kill}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.Hit(ctx, "one")
		s.Hit(ctx, "two")
	}
	if len(deaths) != 0 {
		t.Fatalf("died %v before hit 3", deaths)
	}
	s.Hit(ctx, "one")
	if len(deaths) != 1 || deaths[0] != Kill || out.String() != "crashpoint one hit 3: kill\n" {
		t.Errorf("hit 3: deaths %v, printed %q; want one kill and the line", deaths, out.String())
	}
	s.Disarm()
	s.Hit(ctx, "one")
	if len(deaths) != 1 || len(s.Armed()) != 0 {
		t.Errorf("disarmed: deaths %v, armed %v; want no more", deaths, s.Armed())
	}
}

// TestDeath runs this test binary again as the process that dies.
func TestDeath(t *testing.T) {
	if arming := os.Getenv("CRASHPOINT_TEST_CHILD"); arming != "" {
		child(arming)
		return
	}
	tests := []struct {
		action Action
		dead   func(syscall.WaitStatus) bool
	}{
		{Kill, func(w syscall.WaitStatus) bool { return w.Signaled() && w.Signal() == syscall.SIGKILL }},
		{Exit, func(w syscall.WaitStatus) bool { return w.Exited() && w.ExitStatus() == 1 }},
	}
	for _, tt := range tests {
		cmd := exec.Command(os.Args[0], "-test.run=TestDeath$")
		cmd.Env = append(os.Environ(), "CRASHPOINT_TEST_CHILD=one:2:"+string(tt.action))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		err := cmd.Run()
		w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !tt.dead(w) || errs.String() != "crashpoint one hit 2: "+string(tt.action)+"\n" {
			t.Errorf("%s: ended with %v, status %v, printed %q; want death by %s and one line", tt.action, err, w, errs.String(), tt.action)
		}
	}
}

func child(arming string) {
	s := New(points, os.Stderr)
	all, err := Parse(arming)
	if err == nil {
		err = s.Arm(all[0])
	}
	if err != nil {
		os.Exit(9)
	}
	s.Hit(context.Background(), "one")
	s.Hit(context.Background(), "one")
	os.Exit(0)
}

func BenchmarkIdle(b *testing.B) {
	s := New(points, os.Stderr)
	for b.Loop() {
		s.Hit(context.Background(), "one")
	}
}
