package doctor

import (
	"io/fs"
	"os"
	"os/user"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// canSwitch reports whether root can open files as another user here.
const canSwitch = true

// as runs f with the user's access to files. It changes the access of one thread, which ends with f.
func (u *User) as(f func() error) error {
	if u.Name == "" {
		return f()
	}
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked
		// x/sys changes only the groups of this thread. A file system user other than 0 loses root's rights to files.
		err := unix.Setgroups(u.groups)
		if err == nil {
			err = unix.Setfsgid(u.gid)
		}
		if err == nil {
			err = unix.Setfsuid(u.uid)
		}
		if err == nil {
			err = f()
		}
		ended <- err
	}()
	return <-ended
}

func (u *User) open(path string, flags int) error {
	return u.as(func() error {
		f, err := os.OpenFile(path, flags, 0)
		if err != nil {
			return err
		}
		return f.Close()
	})
}

// enter checks whether the user can access the content of a directory.
func (u *User) enter(folder string) error {
	return u.as(func() error {
		_, err := os.Lstat(folder + "/.")
		return err
	})
}

// writable checks whether the user can create a file in a directory. It creates a file without a name.
func (u *User) writable(folder string) error {
	return u.as(func() error {
		fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return &fs.PathError{Op: "open", Path: folder, Err: err}
		}
		return unix.Close(fd)
	})
}

func owner(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "unknown"
	}
	name, group := strconv.FormatUint(uint64(s.Uid), 10), strconv.FormatUint(uint64(s.Gid), 10)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	if g, err := user.LookupGroupId(group); err == nil {
		group = g.Name
	}
	return name + ":" + group
}
