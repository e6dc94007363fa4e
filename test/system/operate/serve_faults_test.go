package operate_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/doctor"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

// A failed start names the setting to correct.
func TestServe_NamesTheSettingOfAFault(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	systemtest.Must(t, err)
	defer func() { _ = taken.Close() }()
	damaged := filepath.Join(dir, "damaged.db")
	systemtest.Must(t, os.WriteFile(damaged, []byte(strings.Repeat("no database\n", 1000)), 0o600))
	free := func() string { return fmt.Sprintf("127.0.0.1:%d", systemtest.FreePort(t)) }
	settings := map[string]string{
		"GRIOT_DATABASE": "sqlite:" + filepath.Join(dir, "griot.db"), "GRIOT_MASTER_KEY": seal.NewMasterKey(), "GRIOT_AUTH_URL": "https://login.example.com", "GRIOT_API_URL": "https://api.example.com",
	}
	for name, tt := range map[string]struct {
		variable, value string
		want            []string
	}{
		"a taken port":            {"GRIOT_AUTH_LISTEN", taken.Addr().String(), []string{"griot: auth.listen: ", "address already in use"}},
		"another taken port":      {"GRIOT_PROBE_LISTEN", taken.Addr().String(), []string{"griot: probe.listen: listen tcp", "address already in use"}},
		"a damaged database":      {"GRIOT_DATABASE", "sqlite:" + damaged, []string{"griot: database: " + damaged + " is damaged", "restore a backup"}},
		"an unwritable directory": {"GRIOT_DATABASE", "sqlite:/sys/griot.db", []string{"griot: database: ", "can't write /sys/griot.db"}},
		"no directory":            {"GRIOT_DATABASE", "sqlite:" + dir + "/none/griot.db", []string{"GRIOT_DATABASE: database: " + dir + "/none doesn't exist", "mkdir"}},
		"a misspelled variable":   {"GRIOT_DATABSE", "sqlite:griot.db", []string{"GRIOT_DATABSE: isn't a known variable (did you mean GRIOT_DATABASE?)"}},
	} {
		if strings.Contains(tt.value, "/sys/") && runtime.GOOS != "linux" {
			continue // other systems have no directory that no one can write to
		}
		env := slices.DeleteFunc(systemtest.Environ(), func(v string) bool { return strings.HasPrefix(v, "GRIOT_") })
		for name, value := range settings {
			env = append(env, name+"="+value)
		}
		for _, of := range []string{"AUTH", "API", "INTERNAL"} {
			env = append(env, "GRIOT_"+of+"_LISTEN="+free())
		}
		if tt.variable == "GRIOT_DATABSE" { // alone
			env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "GRIOT_") })
		}
		s := &systemtest.Server{Cmd: &exec.Cmd{Dir: dir, Env: append(env, tt.variable+"="+tt.value)}}
		out, err := s.Griot(t, "", "serve")
		for _, want := range tt.want {
			if err == nil || !strings.Contains(out, want) {
				t.Errorf("%s: %v, want %q in:\n%s", name, err, want, out)
			}
		}
	}
}

// The data of a griot dev can be served and examined with --data, as in griot admin and griot backup.
func TestServe_ByTheFolderOfADev(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	s := &systemtest.Server{Out: &systemtest.Buffer{}, Api: p.BaseURL, Auth: p.AuthURL, Internal: p.InternalURL, Cmd: &exec.Cmd{Dir: t.TempDir(), Env: systemtest.Environ()}}
	out, err := s.Griot(t, "", "doctor", "--data", dir)
	if err != nil || !strings.Contains(out, "server: version dev responds") {
		t.Errorf("griot doctor, with the server: %v\n%s", err, out)
	}
	p.Stop()
	if out, err := s.Griot(t, "", "doctor", "--data", dir); err != nil || !strings.Contains(out, "database: sqlite") {
		t.Errorf("griot doctor: %v\n%s", err, out)
	}
	s = s.StartWith(t, systemtest.Binary, "--data", dir)
	if r, err := systemtest.Call("GET", s.Api+"/api/key", "", "Authorization: Bearer "+p.Accounts.Business.LiveKey); err != nil || r.Status != 200 {
		t.Errorf("the dev's key: %v %v", r, err)
	}
	systemtest.Must(t, stopNode(s))
	for _, command := range []string{"serve", "doctor"} {
		if out, err := s.Griot(t, "", command, "--data", dir, "--config", "griot.yaml"); err == nil || !strings.Contains(out, "but not both") {
			t.Errorf("griot %s with both: %v %s", command, err, out)
		}
		if out, err := s.Griot(t, "", command, "--data", t.TempDir()); err == nil || !strings.Contains(out, "this directory has no master.key") {
			t.Errorf("griot %s of no dev: %v %s", command, err, out)
		}
	}
}

// A restore creates the directory of the database. A server doesn't start without it.
func TestRestore_CreatesTheDirectory(t *testing.T) {
	t.Parallel()
	right, wrong := seal.NewMasterKey(), seal.NewMasterKey()
	s := systemtest.StartNode(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "", right)
	to, elsewhere := filepath.Join(t.TempDir(), "backup"), "sqlite:"+filepath.Join(t.TempDir(), "new", "griot.db")
	s.Must(t, "", "backup", to)
	systemtest.Must(t, stopNode(s))
	if out, err := s.Griot(t, elsewhere, "serve"); err == nil || !strings.Contains(out, "doesn't exist") {
		t.Errorf("griot serve: %v %s", err, out)
	}
	s.Must(t, elsewhere, "restore", to)
	s.Must(t, elsewhere, "config", "check")
	systemtest.Must(t, os.WriteFile(filepath.Join(s.Cmd.Dir, "master.key"), []byte(wrong), 0o600))
	sentence := fmt.Sprintf("WARNING: the configured master key (%s) is not the one of this deployment (%s)", nameOf(t, wrong), nameOf(t, right))
	if out := s.Must(t, "sqlite:"+filepath.Join(t.TempDir(), "again", "griot.db"), "restore", to); !strings.Contains(out, sentence) {
		t.Errorf("with another key: want %q in\n%s", sentence, out)
	}
}

// config check refuses a receiver whose gateway is neither configured nor stored.
func TestConfigCheck_AReceiverWithoutAGateway(t *testing.T) {
	t.Parallel()
	f := systemtest.NewRemoteGateway(t, true)
	receivers := func(gateway string) string {
		return fmt.Sprintf("  receivers: [{phone_id: p1, number: \"+22370000099\", gateway: %s, secret: %s}]\n", gateway, strings.Repeat("a", 64))
	}
	s := systemtest.StartNode(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), receivers("stored"), seal.NewMasterKey())
	const mistake = "auth.receivers[0].gateway: the gateway stored doesn't exist"
	if out, err := s.Griot(t, "", "config", "check"); err == nil || !strings.Contains(out, mistake) {
		t.Errorf("a gateway that is nowhere: %v %s", err, out)
	}
	finds(t, examined(s, t), "receivers", "p1", doctor.Failed, "the gateway stored doesn't exist")
	settings := filepath.Join(t.TempDir(), "gateway.json")
	systemtest.Must(t, os.WriteFile(settings, f.JSON("whatsapp"), 0o600))
	s.Must(t, "", "admin", "gateways", "add", "stored", "--kind", "remote", "--settings", settings)
	s.Must(t, "", "config", "check")
	systemtest.Must(t, stopNode(s))
	s.Must(t, "", "config", "check")
	if out, err := s.Griot(t, "sqlite:"+filepath.Join(t.TempDir(), "none.db"), "config", "check"); err == nil || !strings.Contains(out, mistake) {
		t.Errorf("without a database: %v %s", err, out)
	}
	if out, err := s.Griot(t, "postgres://nobody@127.0.0.1:1/none", "config", "check"); err != nil || !strings.Contains(out, "Warning: ") || !strings.Contains(out, "can't be read") {
		t.Errorf("with a database that is not reached: %v %s", err, out)
	}
}
