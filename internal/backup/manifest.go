package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The files of a backup.
const (
	Database = "griot.db"
	Phones   = "virtual.db" // dev: the virtual phones
	Dev      = "dev.json"   // dev: the addresses and demo keys

	manifestName = "manifest.json"
)

const (
	format      = 1
	maxManifest = 1 << 20
)

// Manifest describes a backup.
type Manifest struct {
	Format      int       `json:"format"`
	Version     string    `json:"version"` // of the program that created it
	Schema      int64     `json:"schema"`
	TakenAt     time.Time `json:"takenAt"`   // the backup contains all requests that were acknowledged before
	MasterKey   string    `json:"masterKey"` // the name of the key that seals its contents
	Files       []File    `json:"files"`
	NotIncluded []string  `json:"notIncluded"`
}

// File is a file of a backup.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// notIncluded returns descriptions of the data that a restore needs in addition to the backup.
func notIncluded() []string {
	return []string{
		"the master key (and the previous one during a rotation), which is required to open the signing keys, credentials, and sensitive contents of this backup",
		"griot.yaml, GRIOT_* variables, and the files of secrets that they name",
		"linked WhatsApp devices, which are in the database of griot-whatsapp (back it up separately)",
	}
}

var errNoBackup = errors.New("this isn't a backup of griot")

// parse reads a manifest. It refuses one of another format.
func parse(text []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%w: its %s can't be read", errNoBackup, manifestName)
	}
	if m.Format != format {
		return nil, fmt.Errorf("the backup has format %d, but this program reads format %d: use the version of griot that created it", m.Format, format)
	}
	var names []string
	for _, f := range m.Files {
		if f.Name != Database && f.Name != Phones && f.Name != Dev || slices.Contains(names, f.Name) || f.Size < 0 {
			return nil, fmt.Errorf("%w: its %s names files that no backup has", errNoBackup, manifestName)
		}
		names = append(names, f.Name)
	}
	if !slices.Contains(names, Database) {
		return nil, fmt.Errorf("%w: it has no %s", errNoBackup, Database)
	}
	return m, nil
}
