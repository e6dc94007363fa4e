package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// secretsFolder is where container engines mount secrets, often readable by all in the
// container.
const secretsFolder = "/run/secrets"

const (
	writableByOthers fs.FileMode = 0o022
	readableByOthers fs.FileMode = 0o044
)

// readMasterKey reads the file of the master key where it has one. A key that stands in
// the configuration is as safe as that file, whose path is from; it is empty for another key.
func (c *Config) readMasterKey(from, credentials string) (err error) {
	switch {
	case c.MasterKeyFile != "":
		c.MasterKey, err = c.readKeyFile(c.MasterKeyFile, credentials)
	case c.MasterKey != "" && from != "":
		_, err = c.readKeyFile(from, credentials)
	}
	return err
}

// readKeyFile reads the file that holds the master key, unless others than its owner can
// change it, or can read it where secrets do not come so: below /run/secrets or the
// folder of the service manager's credentials. Of a link, the file that it leads to counts.
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
	case runtime.GOOS == "windows": // its modes say nothing
	case mode&writableByOthers != 0:
		return "", fmt.Errorf("master_key_file: %s has the mode %03o: others can write it (chmod 600)", path, mode)
	case mode&readableByOthers == 0 || below(path, secretsFolder) || below(path, credentials):
	case !c.KeyAnyMode:
		return "", fmt.Errorf("master_key_file: %s has the mode %03o: others can read it (chmod 600, or master_key_any_mode: true)", path, mode)
	default:
		c.MasterKeyShared = true
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(b) > maxKeyFile {
		err = errors.New("master_key_file: too large")
	}
	return strings.TrimSpace(string(b)), err
}

// maxKeyFile bounds what is read: a configuration may be the file that holds the key.
const maxKeyFile = 1 << 20

// below reports whether a file is in a folder or deeper, when all links are followed.
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
