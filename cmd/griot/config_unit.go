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
	"example.com/griot/internal/setup"
)

// drainTime is the most that a process takes to end once its listeners close, with some to spare.
const drainTime = 45 * time.Second

// stopTime is a line of a unit that says how long systemd waits before it kills.
var stopTime = regexp.MustCompile(`(?m)^\s*TimeoutStopSec\s*=\s*(\d+)s?\s*$`)

// stopWarning says that the unit which runs a configuration kills before the process has ended; empty: it does not, or is not known. Of
// several units of one name systemd takes the administrator's, and its drop-ins last.
func stopWarning(cfg *config.Config, file, root string) string {
	at, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	const name = "griot.service"
	custom := filepath.Join(root, "/etc/systemd/system", name)
	more, err := filepath.Glob(filepath.Join(custom+".d", "*.conf"))
	if err != nil {
		return ""
	}
	slices.Sort(more)
	var unit string
	for _, path := range []string{custom, filepath.Join(root, setup.InstalledUnit), filepath.Join(filepath.Dir(at), name)} {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "serve --config "+at+"\n") {
			unit = path
			break
		}
	}
	if unit == "" {
		return ""
	}
	where, seconds := "", 0
	for _, path := range append([]string{unit}, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, m := range stopTime.FindAllStringSubmatch(string(text), -1) {
			if n, err := strconv.Atoi(m[1]); err == nil {
				where, seconds = path, n
			}
		}
	}
	needs := int((cfg.DrainDelay + drainTime + time.Second - 1) / time.Second)
	if where == "" || seconds == 0 || seconds >= needs { // 0 is for ever
		return ""
	}
	return fmt.Sprintf("drain_delay: systemd kills %d seconds after it has asked Griot to end (TimeoutStopSec in %s), and with drain_delay: %s that may take %d (systemctl edit griot: [Service], TimeoutStopSec=%d)", seconds, where, cfg.DrainDelay, needs, needs)
}
