package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/config"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/setup"
)

// drainTime is the maximum time that a process needs to end after its listeners close, with a margin.
const drainTime = 45 * time.Second

// stopTime matches the line of a unit with the time that systemd waits before it kills the process.
var stopTime = regexp.MustCompile(`(?m)^\s*TimeoutStopSec\s*=\s*(\d+)s?\s*$`)

// unitTexts returns the unit that runs a configuration, followed by its drop-ins in the order in which systemd reads
// them. It returns nothing if there is none. If there are several units with one name, systemd uses the
// administrator's.
func unitTexts(file, root string) (paths, texts []string) {
	at, err := filepath.Abs(file)
	if err != nil {
		return nil, nil
	}
	const name = "griot.service"
	custom := filepath.Join(root, "/etc/systemd/system", name)
	more, err := filepath.Glob(filepath.Join(custom+".d", "*.conf"))
	if err != nil {
		return nil, nil
	}
	slices.Sort(more)
	for _, path := range []string{custom, filepath.Join(root, setup.InstalledUnit), filepath.Join(filepath.Dir(at), name)} {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "serve --config "+at+"\n") {
			continue
		}
		paths, texts = []string{path}, []string{string(text)}
		for _, path := range more {
			if text, err := os.ReadFile(path); err == nil {
				paths, texts = append(paths, path), append(texts, string(text))
			}
		}
		return paths, texts
	}
	return nil, nil
}

// unitUser matches the line of a unit with its user.
var unitUser = regexp.MustCompile(`(?m)^\s*User\s*=\s*(\S+)\s*$`)

// userOf returns the user of the unit that runs a configuration. It returns nil if there is none, or if this process
// can't act as that user.
func userOf(file, root string) *doctor.User {
	name := ""
	_, texts := unitTexts(file, root)
	for _, text := range texts {
		for _, m := range unitUser.FindAllStringSubmatch(text, -1) {
			name = m[1]
		}
	}
	if u, ok := doctor.FindUser(name); ok {
		return u
	}
	return nil
}

// accessProblems returns the files of a configuration that a user can't use, as problems of the settings that name
// them.
func accessProblems(cfg *config.Config, u *doctor.User) (problems config.CheckError) {
	if u == nil {
		return nil
	}
	for _, d := range u.Access(cfg) {
		problems = append(problems, cfg.Locate(config.Problem{Setting: d.Setting, Text: d.Text, Hint: d.Hint}))
	}
	return problems
}

// stopWarning returns a warning if the unit that runs a configuration kills the process before it has ended. It returns
// "" if it doesn't, or if that isn't known.
func stopWarning(cfg *config.Config, file, root string) string {
	where, seconds := "", 0
	paths, texts := unitTexts(file, root)
	for i, text := range texts {
		for _, m := range stopTime.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil {
				where, seconds = paths[i], n
			}
		}
	}
	needs := int((cfg.DrainDelay + drainTime + time.Second - 1) / time.Second)
	if where == "" || seconds == 0 || seconds >= needs { // 0 means no limit
		return ""
	}
	return fmt.Sprintf("drain_delay: systemd kills Griot %d seconds after it asked it to stop (TimeoutStopSec in %s), but with drain_delay: %s, a stop can take %d seconds (run systemctl edit griot and set TimeoutStopSec=%d under [Service])", seconds, where, cfg.DrainDelay, needs, needs)
}
