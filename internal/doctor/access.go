package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/griot/internal/config"
)

// A User is a user of this machine whose access to files is checked. The zero value is the user that runs this process.
type User struct {
	Name   string
	uid    int
	gid    int
	groups []int
}

// FindUser returns the user with a name. ok is false if the user doesn't exist, or if this process can't act as that
// user: only root can, and only on Linux.
func FindUser(name string) (u *User, ok bool) {
	if os.Geteuid() != 0 || !canSwitch {
		return nil, false
	}
	found, err := user.Lookup(name)
	if err != nil {
		return nil, false
	}
	u = &User{Name: name}
	groups, err := found.GroupIds()
	if err != nil {
		groups = []string{found.Gid}
	}
	var errUser, errGroup error
	u.uid, errUser = strconv.Atoi(found.Uid)
	u.gid, errGroup = strconv.Atoi(found.Gid)
	for _, g := range groups {
		if n, err := strconv.Atoi(g); err == nil {
			u.groups = append(u.groups, n)
		}
	}
	return u, errUser == nil && errGroup == nil
}

// Denied is a file to which a user has no access.
type Denied struct {
	Setting string // the setting that names it; empty: the configuration
	Path    string
	Text    string // the problem, with owner and mode
	Hint    string
}

// Access returns the files of a deployment that the user can't use: the files that griot serve reads, and the database,
// which it writes. It ignores missing files.
func (u *User) Access(cfg *config.Config) (out []Denied) {
	files := cfg.Files()
	if cfg.File() != "" {
		files = append([]config.NamedFile{{Path: cfg.File()}}, files...)
	}
	for _, f := range files {
		if errors.Is(u.open(f.Path, os.O_RDONLY), fs.ErrPermission) {
			out = append(out, u.denied(f.Setting, f.Path, "read"))
		}
	}
	path, lite := strings.CutPrefix(cfg.Database, "sqlite:")
	if !lite {
		return out
	}
	if folder := filepath.Dir(path); errors.Is(u.writable(folder), fs.ErrPermission) {
		return append(out, u.denied("database", folder, "write"))
	}
	for _, file := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
		if errors.Is(u.open(file, os.O_RDWR), fs.ErrPermission) {
			out = append(out, u.denied("database", file, "write"))
		}
	}
	return out
}

// denied describes the reason that the user can't access a file: a directory above it, or its own owner and mode.
func (u *User) denied(setting, path, verb string) Denied {
	d := Denied{Setting: setting, Path: path}
	who := u.Name
	if who == "" {
		who = "this user"
		if me, err := user.Current(); err == nil {
			who = me.Username
		}
	}
	at := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		at = real
	}
	for folder := filepath.Dir(at); ; folder = filepath.Dir(folder) { // the innermost directory that can be entered ends the search
		if !errors.Is(u.open(folder+"/.", os.O_RDONLY), fs.ErrPermission) || folder == filepath.Dir(folder) {
			break
		}
		if errors.Is(u.enter(folder), fs.ErrPermission) {
			d.Text = fmt.Sprintf("%s can't %s %s: it can't enter the directory %s (%s)", who, verb, path, folder, ownerOf(folder))
			d.Hint = "move the file to a directory that " + who + " can enter, or give access to this one"
		}
	}
	if d.Text == "" {
		d.Text = fmt.Sprintf("%s can't %s %s (%s)", who, verb, at, ownerOf(at))
		d.Hint = "chown " + who + " " + at
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			d.Hint += ", if it contains only the database; otherwise, move the database to a directory of its own"
		}
	}
	return d
}

// ownerOf returns the owner and the mode of a file in a readable format.
func ownerOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "its owner and mode are unknown"
	}
	return fmt.Sprintf("owner %s, mode %03o", owner(info), info.Mode().Perm())
}
