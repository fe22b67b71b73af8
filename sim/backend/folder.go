package backend

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// serverUser is who the servers run as: nil for the user of this process, and for root somebody else, since Postgres refuses root.
// It must be in the user database, or initdb refuses it.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("read user %q: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, ErrNoUser
}

// parentFolder picks where the private folder of the servers goes: the wanted folder, else one for temporary files. Where root drops to
// another user every folder above must be passable for all. A file system in memory is taken last: its fsync costs nothing.
func parentFolder(wanted string) (string, error) {
	var inMemory string
	for _, dir := range []string{wanted, os.TempDir(), "/var/tmp", "/tmp"} {
		if dir == "" || !passable(dir) || unix.Access(dir, unix.W_OK) != nil {
			continue
		}
		if dir == wanted || filesystem(dir) != "tmpfs" {
			return filepath.Abs(dir)
		}
		if inMemory == "" {
			inMemory = dir
		}
	}
	if inMemory != "" {
		return filepath.Abs(inMemory)
	}
	return "", fmt.Errorf("find a folder for the servers: %q, %q and /var/tmp are not writable or not passable for other users: %w", wanted, os.TempDir(), ErrBadOptions)
}

// passable reports whether any user may go through the folder and all above it; not asked where the servers run as this user.
func passable(dir string) bool {
	if os.Geteuid() != 0 {
		return true
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for ; ; abs = filepath.Dir(abs) {
		info, err := os.Stat(abs)
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if abs == "/" {
			return true
		}
	}
}

// Magic numbers of statfs(2).
const (
	magicTmpfs   = 0x01021994
	magicExt     = 0xef53
	magicXfs     = 0x58465342
	magicBtrfs   = 0x9123683e
	magicOverlay = 0x794c7630
)

// filesystem names the kind of file system that holds the folder.
func filesystem(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Unknown
	}
	kinds := map[int64]string{magicTmpfs: "tmpfs", magicExt: "ext", magicXfs: "xfs", magicBtrfs: "btrfs", magicOverlay: "overlay"}
	if kind, ok := kinds[st.Type]; ok {
		return kind
	}
	return "0x" + strconv.FormatInt(st.Type, 16)
}

// makePrivate creates a folder that only the servers' user can read.
func makePrivate(dir string, owner *syscall.Credential) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	return giveTo(dir, owner)
}

// writePrivate writes a file that only the servers' user can read.
func writePrivate(path, text string, owner *syscall.Credential) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return giveTo(path, owner)
}

func giveTo(path string, owner *syscall.Credential) error {
	if owner == nil {
		return nil
	}
	if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("give to the servers' user: %w", err)
	}
	return nil
}

// sortedKeys of a map of settings, so that files come out the same each time.
func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
