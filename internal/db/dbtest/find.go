package dbtest

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const oldestPostgres = 15

var errNoPostgres = errors.New("no PostgreSQL server programs found")

// findPostgres returns the directory of the server's programs: the one on the PATH, or the newest one in the
// directories of the systems' packages.
func findPostgres() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if dir := filepath.Dir(path); postgresVersion(dir) >= oldestPostgres {
			return dir, nil
		}
	}
	var dirs []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
		"/usr/pgsql-*/bin",                  // the PostgreSQL project's RPMs
		"/usr/libexec/postgresql*",          // Alpine
		"/opt/homebrew/opt/postgresql*/bin", // macOS on ARM
		"/usr/local/opt/postgresql*/bin",    // macOS on Intel
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, found...)
	}
	if len(dirs) > 0 {
		newest := slices.MaxFunc(dirs, func(a, b string) int { return cmp.Compare(postgresVersion(a), postgresVersion(b)) })
		if postgresVersion(newest) >= oldestPostgres {
			return newest, nil
		}
	}
	return "", fmt.Errorf("%w (version %d or newer is needed; `make setup` installs it)", errNoPostgres, oldestPostgres)
}

// postgresVersion returns the major version of the server in dir, or 0 if dir doesn't contain a usable one.
func postgresVersion(dir string) int {
	if _, err := exec.LookPath(filepath.Join(dir, "initdb")); err != nil {
		return 0
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return 0
	}
	return parseVersion(string(out))
}

// parseVersion returns 15 for "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", and 17 for "17beta2".
func parseVersion(output string) int {
	_, version, _ := strings.Cut(output, "(PostgreSQL) ")
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	major, err := strconv.Atoi(version[:max(end, 0)])
	if err != nil {
		return 0
	}
	return major
}
