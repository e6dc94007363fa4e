package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"example.com/griot/internal/seal"
	"example.com/griot/internal/textfile"
)

// secretsFolder is the directory in which container engines mount secrets. They are
// often readable by every user in the container.
const secretsFolder = "/run/secrets"

const (
	writableByOthers fs.FileMode = 0o022
	readableByOthers fs.FileMode = 0o044
)

// Key returns the master key, with the previous key during a rotation.
func (c *Config) Key() (*seal.Key, error) {
	key, err := seal.ParseKey(c.MasterKey)
	if err != nil || c.MasterKeyBefore == "" {
		return key, err
	}
	before, err := seal.ParseKey(c.MasterKeyBefore)
	if err != nil {
		return nil, err
	}
	return key.WithPrevious(before), nil
}

// readMasterKey reads the file of the master key, if it has one. A key in the configuration
// must be as safe as that file. from is the path of the configuration in this case, and empty
// otherwise.
func (c *Config) readMasterKey(from, credentials string, problems *CheckError) {
	setting, err := "master_key_file", error(nil)
	switch {
	case c.MasterKeyFile != "":
		c.MasterKey, err = c.readKeyFile(c.MasterKeyFile, credentials)
	case c.MasterKey != "" && from != "":
		setting = "master_key"
		_, err = c.readKeyFile(from, credentials)
	}
	problems.addKeyFile(setting, cmp.Or(c.MasterKeyFile, from), err)
	if c.KeyBeforeFile == "" {
		return
	}
	c.MasterKeyBefore, err = c.readKeyFile(c.KeyBeforeFile, credentials)
	problems.addKeyFile("master_key_previous_file", c.KeyBeforeFile, err)
}

// addKeyFile adds the problem with the file of a key.
func (e *CheckError) addKeyFile(setting, path string, err error) {
	if p, ok := errors.AsType[CheckError](err); ok {
		e.add(setting, p[0].Text, p[0].Hint)
	} else if err != nil {
		e.add(setting, path+" "+reason(err), "")
	}
}

// readKeyFile reads the file that contains the master key. It refuses a file that users
// other than its owner can change, or can read, unless it is below /run/secrets or the
// directory of the service manager's credentials. For a link, the target file is checked.
func (c *Config) readKeyFile(path, credentials string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	switch mode := info.Mode().Perm(); {
	case runtime.GOOS == "windows": // file modes have no meaning there
	case mode&writableByOthers != 0:
		return "", CheckError{{Text: fmt.Sprintf("%s has the mode %03o: other users can write to it", path, mode), Hint: "chmod 600"}}
	case mode&readableByOthers == 0 || below(path, secretsFolder) || below(path, credentials):
	case !c.KeyAnyMode:
		return "", CheckError{{Text: fmt.Sprintf("%s has the mode %03o: other users can read it", path, mode), Hint: "chmod 600, or master_key_any_mode: true"}}
	default:
		c.MasterKeyShared = true
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(b) > maxKeyFile {
		err = CheckError{{Text: path + " is too large"}}
	}
	return strings.TrimSpace(textfile.Line(string(b))), err
}

// maxKeyFile limits the size of the file, because a configuration can be the file that contains the key.
const maxKeyFile = 1 << 20

// below reports whether a file is in a directory or its subdirectories, after all links are followed.
func below(path, folder string) bool {
	if !filepath.IsAbs(folder) {
		return false
	}
	file, err := filepath.EvalSymlinks(path)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return false
	}
	if file, err = filepath.Abs(file); err != nil {
		return false
	}
	rest, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rest)
}
