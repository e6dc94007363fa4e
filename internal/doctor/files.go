package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"example.com/griot/internal/config"
)

const (
	othersRead  fs.FileMode = 0o004
	othersWrite fs.FileMode = 0o022
)

// Permissions checks which other users can read and write the files of a deployment, and whether the doctor's user and
// the unit's user can. unit is nil if there is none, or if only root could check it. In the server, serving is true: the
// check then opens no file, because a process that closes a file of SQLite loses SQLite's locks on it.
func Permissions(cfg *config.Config, unit *User, serving bool) Check {
	return Check{
		"permissions", "Only their owner can write the configuration, the master key, the certificate's key, the database, and its directory. Only their owner and group can read those that are secret. The doctor and the user of the systemd unit have access to them.",
		func(context.Context) []Finding { return permissions(cfg, unit, serving) },
	}
}

// ownAccess is the hint for a doctor that lacks access.
const ownAccess = "run griot doctor as root, or as the user that runs griot serve"

func permissions(cfg *config.Config, unit *User, serving bool) []Finding {
	if runtime.GOOS == "windows" { // file modes have no meaning there
		return []Finding{Bad(Unknown, "", "this system's file modes can't be checked")}
	}
	var out []Finding
	looked := 0
	const orGroup = " (or 640, for a group)" // griot serve refuses a master key that a group can read
	for _, f := range []struct{ what, path, orMode string }{
		{"configuration", cfg.File(), orGroup}, {"master key", cfg.MasterKeyFile, ""}, {"previous master key", cfg.KeyBeforeFile, ""}, {"certificate's key", cfg.TLS.Key, orGroup},
	} {
		if f.path != "" {
			looked++
			out = append(out, secretFile(f.what, f.path, f.orMode)...)
		}
	}
	if path, lite := strings.CutPrefix(cfg.Database, "sqlite:"); lite {
		looked++
		out = append(out, folder(filepath.Dir(path))...)
		for _, file := range []string{path, path + "-wal", path + "-shm"} {
			if _, err := os.Stat(file); err == nil {
				out = append(out, secretFile("database", file, orGroup)...)
			}
		}
	}
	var denied []Denied
	if !serving {
		denied = (&User{}).Access(cfg)
	}
	for i := range denied { // failures caused by it are no fault of the deployment
		denied[i].Hint = ownAccess
	}
	if unit != nil && !serving {
		denied = append(denied, unit.Access(cfg)...)
	}
	for _, d := range denied {
		out = append(out, Bad(Failed, d.Hint, "%s", d.Text).About(d.Path))
	}
	if len(out) == 0 {
		return []Finding{Good("%d files and directories checked", looked)}
	}
	return out
}

// secretFile checks the mode of a file. For a link, it checks the target. orMode ends the hint with another mode that is
// safe; empty: none.
func secretFile(what, path, orMode string) []Finding {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return []Finding{Bad(Failed, "correct the setting, or the owner of the file", "the %s can't be read: %s", what, cause(err)).About(path)}
	case info.Mode().Perm()&othersWrite != 0:
		return []Finding{Bad(Failed, "chmod 600 "+path, "other users can write to the %s (mode %03o)", what, info.Mode().Perm()).About(path)}
	case info.Mode().Perm()&othersRead != 0 && !strings.HasPrefix(path, "/run/secrets/"):
		return []Finding{Bad(Warning, "chmod 600 "+path+orMode, "everyone on this machine can read the %s (mode %03o)", what, info.Mode().Perm()).About(path)}
	}
	return nil
}

func folder(path string) []Finding {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{Bad(Failed, "mkdir -m 700 "+path+", owned by the user that runs griot serve", "the database's directory doesn't exist").About(path)}
	case err != nil:
		return []Finding{Bad(Unknown, "", "the database's directory can't be checked: %s", cause(err)).About(path)}
	case info.Mode().Perm()&othersWrite != 0 && info.Mode()&fs.ModeSticky != 0:
		return []Finding{Bad(Warning, "give the database its own directory", "everyone on this machine can create files in the database's directory").About(path)}
	case info.Mode().Perm()&othersWrite != 0:
		return []Finding{Bad(Failed, "chmod 700 "+path, "other users can write to the database's directory (mode %03o) and replace the database", info.Mode().Perm()).About(path)}
	}
	return nil
}
