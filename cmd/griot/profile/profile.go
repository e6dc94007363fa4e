package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Default is the name of the default profile.
const Default = "default"

const (
	suffix   = ".json"
	maxFile  = 16 << 10
	maxName  = 64
	fileMode = 0o600
)

// ErrNone is returned if a profile doesn't exist.
var ErrNone = errors.New("no profile has the name")

// Profile is a service with one of its keys.
type Profile struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// Store is the directory of the profiles.
type Store struct{ Dir string }

// Open returns the user's store. Its directory doesn't need to exist.
func Open() (Store, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return Store{}, fmt.Errorf("the directory of the profiles can't be found: %w", err)
	}
	return Store{filepath.Join(config, "griot", "profiles")}, nil
}

// CheckName returns an error for an invalid name of a profile.
func CheckName(name string) error {
	fine := func(r rune) bool {
		return r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if name == "" || len(name) > maxName || name[0] == '.' || strings.ContainsFunc(name, func(r rune) bool { return !fine(r) }) {
		return errors.New("a profile's name can contain only letters, digits, hyphens, underscores, and dots")
	}
	return nil
}

func (s Store) path(name string) string { return filepath.Join(s.Dir, name+suffix) }

// Load returns a profile. It refuses a file that other users can read, because its key is no longer secret.
func (s Store) Load(name string) (Profile, error) {
	if err := CheckName(name); err != nil {
		return Profile{}, err
	}
	path := s.path(name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Profile{}, ErrNone
	}
	if err != nil {
		return Profile{}, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return Profile{}, fmt.Errorf("other users can read %s, which contains a key: run chmod 600 on it, and replace the key if someone might have read it", path)
	}
	if info.Size() > maxFile {
		return Profile{}, fmt.Errorf("%s is too large for a profile", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Profile{}, err
	}
	var p Profile
	if json.Unmarshal(b, &p) != nil || p.URL == "" || p.Key == "" { // the error might contain the key
		return Profile{}, fmt.Errorf("%s isn't a profile: remove it, and run griot configure", path)
	}
	return p, nil
}

// Save writes a profile atomically, readable only by its owner, and returns the path.
func (s Store) Save(name string, p Profile) (path string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return "", err
	}
	next, err := os.CreateTemp(s.Dir, ".new-*") // with mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next.Name())
		}
	}()
	_, err = next.Write(append(b, '\n'))
	if err = errors.Join(err, next.Chmod(fileMode), next.Sync(), next.Close()); err != nil {
		return "", err
	}
	return s.path(name), os.Rename(next.Name(), s.path(name))
}

// Remove removes a profile.
func (s Store) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	err := os.Remove(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNone
	}
	return err
}

// Names lists the profiles.
func (s Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
