package system_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrash/system"
	"gatecrash/system/booking"
	"gatecrash/system/crashpoint"
	"gatecrash/system/reconcile"
)

// envReplica makes this test binary a replica with the settings that it holds; see TestMain.
const envReplica = "GATECRASH_TEST_REPLICA"

// childReplica serves until its standard input ends.
func childReplica(settings string) int {
	var c system.Config
	if err := json.Unmarshal([]byte(settings), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	c.Stderr = os.Stderr
	s, err := system.Start(context.Background(), c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	fmt.Println(s.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// child is a replica in a process of its own, which may die.
type child struct {
	replica
	cmd *exec.Cmd
}

func startChild(t *testing.T, c system.Config) child {
	t.Helper()
	c.Stderr = nil
	settings, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envReplica+"="+string(settings))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	addr, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the child did not start: %v", err)
	}
	return child{replica{t, "http://" + strings.TrimSpace(addr)}, cmd}
}

// killed waits for the child's end and reports whether it was SIGKILL.
func (c child) killed() bool {
	_ = c.cmd.Wait()
	w, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}

// bookAndLose sends a booking of two seats to a replica that dies of it.
func (c child) bookAndLose(token, key string) {
	c.t.Helper()
	c.lose("POST", "/v1/sales/main/bookings", token, key, `{"quantity":2}`)
}

// lose sends a request to a replica that dies of it, so that no answer comes.
func (c child) lose(method, path, token, key, body string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		res.Body.Close()
		c.t.Fatalf("the replica answered %d; want it dead", res.StatusCode)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		c.t.Fatal("the replica neither answered nor died")
	}
}

// TestCrash: a replica dies at each point of a booking. The visitor's retry gets one booking, and the gate comes back to the truth.
func TestCrash(t *testing.T) {
	t.Parallel()
	tests := []struct {
		point  string
		booked bool // before the end
	}{
		{booking.PointDebited, false},
		{booking.PointBooked, true},
		{booking.PointSettled, true},
	}
	for _, tt := range tests {
		t.Run(tt.point, func(t *testing.T) {
			t.Parallel()
			c := crashConfig(t)
			r := start(t, c)
			r.sale(10, 5)
			ann := r.login("ann")
			eventually(t, "the gate is filled", func() bool { return r.gateAvail() == 10 })
			c.CrashPoints = true
			c.Armed = []crashpoint.Arming{{Point: tt.point, Hit: 1, Action: crashpoint.Kill}}
			dying := startChild(t, c)
			dying.bookAndLose(ann, "k")
			if !dying.killed() {
				t.Fatalf("the replica ended with %v; want SIGKILL", dying.cmd.ProcessState)
			}
			status := 201
			if tt.booked {
				status = 200
			}
			again := r.book(ann, "k", 2)
			if again.Status != status || again.Version != 1 || again.Quantity != 2 {
				t.Errorf("retry = %v; want %d and the booking at version 1", again, status)
			}
			eventually(t, "gate and truth agree", func() bool { return r.gateAvail() == 8 })
		})
	}
}

// TestCrashAfterACancel: the seats are back in the truth and not at the gate; the reconciler brings them.
func TestCrashAfterACancel(t *testing.T) {
	t.Parallel()
	c := crashConfig(t)
	r := start(t, c)
	r.sale(10, 5)
	ann := r.login("ann")
	eventually(t, "the gate is filled", func() bool { return r.gateAvail() == 10 })
	booked := r.book(ann, "k", 2)
	c.CrashPoints = true
	c.Armed = []crashpoint.Arming{{Point: booking.PointCanceled, Hit: 1, Action: crashpoint.Kill}}
	dying := startChild(t, c)
	dying.lose("DELETE", "/v1/bookings/"+booked.ID, ann, "", "")
	if !dying.killed() {
		t.Fatalf("the replica ended with %v; want SIGKILL", dying.cmd.ProcessState)
	}
	if a := r.send("DELETE", "/v1/bookings/"+booked.ID, ann, "", ""); a.Status != 200 || a.State != "cancelled" {
		t.Errorf("cancel again = %v; want 200, cancelled", a)
	}
	eventually(t, "the gate has the seats", func() bool { return r.gateAvail() == 10 })
}

// TestCrashStrandsADebit: nobody retries, so only the lease and the reconciler can give the seats back.
func TestCrashStrandsADebit(t *testing.T) {
	t.Parallel()
	c := crashConfig(t)
	r := start(t, c)
	r.sale(2, 5)
	ann, bob := r.login("ann"), r.login("bob")
	eventually(t, "the gate is filled", func() bool { return r.gateAvail() == 2 })
	c.CrashPoints = true
	dying := startChild(t, c)
	if a := dying.operator("POST", "/crashpoints", `{"point":"debited-before-transaction","hit":1,"action":"kill"}`); a.Status != 200 {
		t.Fatalf("arm = %v; want 200", a)
	}
	dying.bookAndLose(ann, "k")
	if !dying.killed() {
		t.Fatalf("the replica ended with %v; want SIGKILL", dying.cmd.ProcessState)
	}
	eventually(t, "the seats are sold to another", func() bool { return r.book(bob, "k", 2).Status == 201 })
}

// TestCrashInTheMiddleOfReconciliation: the leader dies between resolving and repairing; another one takes over.
func TestCrashInTheMiddleOfReconciliation(t *testing.T) {
	t.Parallel()
	c := crashConfig(t)
	c.CrashPoints = true
	dying := startChild(t, c)
	dying.sale(10, 5)
	eventually(t, "the gate is filled", func() bool { return dying.gateAvail() == 10 })
	c.CrashPoints = false
	r := start(t, c)
	if a := dying.operator("POST", "/crashpoints", fmt.Sprintf(`{"point":%q,"hit":3,"action":"kill"}`, reconcile.PointMiddle)); a.Status != 200 {
		t.Fatalf("arm = %v; want 200", a)
	}
	if !dying.killed() {
		t.Fatalf("the replica ended with %v; want SIGKILL", dying.cmd.ProcessState)
	}
	forget(t, c)
	ann := r.login("ann")
	eventually(t, "another leader fills the gate", func() bool { return r.gateAvail() == 10 })
	if a := r.book(ann, "k", 2); a.Status != 201 {
		t.Errorf("book = %v; want 201", a)
	}
}

// crashConfig has the shortest waits that are in order, so that a lease ends soon.
func crashConfig(t *testing.T) system.Config {
	c := config(t)
	c.Timeouts.Lock, c.Timeouts.Statement, c.Timeouts.Request = 400*time.Millisecond, 500*time.Millisecond, time.Second
	c.Gate.Lease = 1600 * time.Millisecond
	return c
}

// gateAvail is what the gate shows; -1: it holds nothing of the sale, or debits are under way.
func (r replica) gateAvail() int64 {
	r.t.Helper()
	var body struct {
		Gate struct {
			Present bool  `json:"present"`
			Avail   int64 `json:"avail"`
			Debits  int   `json:"debits"`
		} `json:"gate"`
	}
	if err := json.Unmarshal([]byte(r.operator("GET", "/sales/main", "").text), &body); err != nil {
		r.t.Fatal(err)
	}
	if !body.Gate.Present || body.Gate.Debits > 0 {
		return -1
	}
	return body.Gate.Avail
}
