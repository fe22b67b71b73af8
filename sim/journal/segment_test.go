package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSegmentIn(t *testing.T) {
	for _, each := range []struct {
		name, text string
		key, id    int
		ok         bool
	}{
		{"whole", "1\n/d\n2\n5432\n\n127.0.0.1\n  10127019     98367\nready\n", 10127019, 98367, true},
		{"key above the signed range", "1\n2\n3\n4\n5\n6\n4294967295 7\n", -1, 7, true},
		{"short", "1\n/d\n", 0, 0, false},
		{"one number", "1\n2\n3\n4\n5\n6\n12\n", 0, 0, false},
		{"no numbers", "1\n2\n3\n4\n5\n6\na b\n", 0, 0, false},
	} {
		t.Run(each.name, func(t *testing.T) {
			key, id, ok := segmentIn(each.text)
			if ok != each.ok || (ok && (key != each.key || id != each.id)) {
				t.Errorf("segmentIn() = %d, %d, %t, want %d, %d, %t", key, id, ok, each.key, each.id, each.ok)
			}
		})
	}
}

// TestRemoveSegment: the segment of a dead server goes with its folder, one with another key stays.
func TestRemoveSegment(t *testing.T) {
	make := func(key int) int {
		id, err := unix.SysvShmGet(key, 56, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
		return id
	}
	there := func(id int) bool {
		var desc unix.SysvShmDesc
		_, err := unix.SysvShmCtl(id, unix.IPC_STAT, &desc)
		return err == nil
	}
	key := 0x6a740000 + os.Getpid()%0xffff
	ours, other := make(key), make(key+1)
	folder := filepath.Join(t.TempDir(), "work")
	for name, text := range map[string]string{
		"postgres/data": fmt.Sprintf("1\n2\n3\n4\n5\n6\n%d %d\n", key, ours),
		"postgres2":     fmt.Sprintf("1\n2\n3\n4\n5\n6\n%d %d\n", key, other),
	} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name, "postmaster.pid"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveFolder(testContext(t), folder, nil); err != nil {
		t.Fatal(err)
	}
	if there(ours) || !there(other) || exists(folder) {
		t.Errorf("after RemoveFolder: ours %t, other %t, folder %t, want only the other", there(ours), there(other), exists(folder))
	}
}
