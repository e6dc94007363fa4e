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

// drainTime is the most that a process takes to end once its listeners close, with some to spare.
const drainTime = 45 * time.Second

// stopTime is a line of a unit that says how long systemd waits before it kills.
var stopTime = regexp.MustCompile(`(?m)^\s*TimeoutStopSec\s*=\s*(\d+)s?\s*$`)

// unitTexts returns the unit that runs a configuration, and its drop-ins behind it, in the order in which systemd reads them; nothing
// where there is none. Of several units of one name systemd takes the administrator's.
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

// unitUser is a line of a unit that names as whom it runs.
var unitUser = regexp.MustCompile(`(?m)^\s*User\s*=\s*(\S+)\s*$`)

// userOf returns the user of the unit that runs a configuration; nil where there is none, or where this process can't act as that user.
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

// accessProblems returns the files of a configuration that a user can't use, as mistakes of the settings that name them.
func accessProblems(cfg *config.Config, u *doctor.User) (problems config.CheckError) {
	if u == nil {
		return nil
	}
	for _, d := range u.Access(cfg) {
		problems = append(problems, cfg.Locate(config.Problem{Setting: d.Setting, Text: d.Text, Hint: d.Hint}))
	}
	return problems
}

// stopWarning says that the unit which runs a configuration kills before the process has ended; empty: it does not, or is not known.
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
	if where == "" || seconds == 0 || seconds >= needs { // 0 is for ever
		return ""
	}
	return fmt.Sprintf("drain_delay: systemd kills %d seconds after it has asked Griot to end (TimeoutStopSec in %s), and with drain_delay: %s that may take %d (systemctl edit griot: [Service], TimeoutStopSec=%d)", seconds, where, cfg.DrainDelay, needs, needs)
}
