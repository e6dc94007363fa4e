package operate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/test/system/systemtest"
)

// The units of the daily backup are valid, and their command writes a backup that can be verified.
func TestDeploy_BackupUnits(t *testing.T) {
	t.Parallel()
	const units = "../../../deploy/systemd/"
	service, err := os.ReadFile(units + "griot-backup.service")
	systemtest.Must(t, err)
	programs := t.TempDir()
	systemtest.Must(t, os.Symlink(systemtest.Binary, filepath.Join(programs, "griot")))
	path := programs + ":" + os.Getenv("PATH")

	// systemd searches for programs in its own directories, which don't contain griot.
	checked := t.TempDir()
	systemtest.WriteFile(t, filepath.Join(checked, "griot-backup.service"), string(service))
	timer, err := os.ReadFile(units + "griot-backup.timer")
	systemtest.Must(t, err)
	systemtest.WriteFile(t, filepath.Join(checked, "griot-backup.timer"), string(timer))
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", filepath.Join(checked, "griot-backup.timer"), filepath.Join(checked, "griot-backup.service")).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}

	database := filepath.Join(t.TempDir(), "griot.db")
	s := systemtest.StartServeWith(t, "sqlite:"+database, "")
	if at := systemtest.Metric(t, s.Internal, "griot_backup_last_timestamp_seconds"); at != -1 {
		t.Errorf("before the first backup the last one is of %v", at)
	}
	backups := t.TempDir()
	start := regexp.MustCompile(`(?m)^ExecStart=sh -c '(.*)'$`).FindSubmatch(service)
	if start == nil {
		t.Fatal("the unit starts nothing")
	}
	line := strings.NewReplacer("$$", "$", "%%", "%", "/var/backups/griot", backups, "--config /etc/griot/griot.yaml", "").Replace(string(start[1]))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = s.Cmd.Dir, append(s.Cmd.Env, "PATH="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	made, err := filepath.Glob(filepath.Join(backups, "*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("the backups are %v, %v", made, err)
	}
	if at := systemtest.Metric(t, s.Internal, "griot_backup_last_timestamp_seconds"); time.Since(time.Unix(int64(at), 0)).Abs() > time.Minute {
		t.Errorf("the last backup is of %v, want now", at)
	}
	o := &systemtest.Terminal{T: t, Dir: t.TempDir()}
	o.Run(0, "", "backup", "verify", made[0])
}
