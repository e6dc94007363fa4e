//go:build !linux

package doctor

import (
	"io/fs"
	"os"
)

// canSwitch reports whether root can open files as another user here.
const canSwitch = false

func (*User) open(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func (*User) enter(folder string) error {
	_, err := os.Lstat(folder + "/.")
	return err
}

func (*User) writable(string) error { return nil }

func owner(fs.FileInfo) string { return "unknown" }
