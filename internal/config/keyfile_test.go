package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/config"
	"example.com/griot/internal/seal"
)

// keyFile writes a master key with a mode.
func keyFile(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(seal.NewMasterKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // WriteFile's mode is changed by the umask
		t.Fatal(err)
	}
	return path
}

func TestLoad_WhoElseMayUseTheMasterKey(t *testing.T) {
	t.Parallel()
	credentials := t.TempDir()
	const others = "other users can write to it"
	const readers = "other users can read it"
	for name, tc := range map[string]struct {
		mode        os.FileMode
		credentials bool // the file is below $CREDENTIALS_DIRECTORY
		any         bool // master_key_any_mode
		want        string
		shared      bool
	}{
		"its owner":                       {mode: 0o600},
		"its owner, who can't write":      {mode: 0o400},
		"the group reads":                 {mode: 0o640, want: readers},
		"everyone reads":                  {mode: 0o604, want: readers},
		"everyone reads and runs":         {mode: 0o755, want: readers},
		"the group writes":                {mode: 0o620, want: others},
		"everyone writes":                 {mode: 0o602, want: others},
		"everyone reads a credential":     {mode: 0o444, credentials: true},
		"the group writes a credential":   {mode: 0o660, credentials: true, want: others},
		"everyone reads, and that is so":  {mode: 0o644, any: true, shared: true},
		"its owner, and any mode":         {mode: 0o600, any: true},
		"everyone writes, in any mode":    {mode: 0o666, any: true, want: others},
		"the group writes, in any mode":   {mode: 0o620, any: true, want: others},
		"the group reads, and that is so": {mode: 0o440, any: true, shared: true},
	} {
		dir := t.TempDir()
		if tc.credentials {
			dir = filepath.Join(credentials, strings.ReplaceAll(name, " ", "-"))
		}
		env := []string{"GRIOT_MASTER_KEY_FILE=" + keyFile(t, filepath.Join(dir, "key"), tc.mode), "CREDENTIALS_DIRECTORY=" + credentials}
		if tc.any {
			env = append(env, "GRIOT_MASTER_KEY_ANY_MODE=true")
		}
		c, err := config.Load(write(t, whole), env)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", name, err)
		case tc.want == "" && c.MasterKeyShared != tc.shared:
			t.Errorf("%s: MasterKeyShared %v, want %v", name, c.MasterKeyShared, tc.shared)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), "master_key_file") || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want something about %q", name, err, tc.want)
		}
	}
}

// As an orchestrator mounts it: a link to a link's directory, whose own modes have no
// meaning. Marks and line ends that editors and shells write around a secret aren't part of
// it, in a file and in a variable.
func TestLoad_MarksAndLineEndsAroundSecrets(t *testing.T) {
	t.Parallel()
	key := seal.NewMasterKey()
	want, err := seal.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	wide := "\xff\xfe" // UTF-16, as Windows PowerShell writes files
	for _, r := range key + "\r\n" {
		wide += string([]byte{byte(r), 0})
	}
	for _, text := range []string{key, key + "\n", key + "\r\n\r\n", "\ufeff" + key + "\r\n", " " + key + " \n", wide} {
		file := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY_FILE=" + file + "\n", "GRIOT_AUTH_TERMS_FILE=" + file, "GRIOT_AUTH_URL=\ufeffhttps://login.example.com\r\n"})
		if err != nil || c.Auth.Terms != key || c.Auth.URL != "https://login.example.com" {
			t.Errorf("%q: %v, %q", text, err, c.Auth.URL)
			continue
		}
		if got, err := c.Key(); err != nil || got.Name() != want.Name() {
			t.Errorf("%q: %v, another key", text, err)
		}
		if strings.Contains(text, "\x00") || strings.HasPrefix(text, " ") {
			continue
		}
		c, err = config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY=" + text})
		if got, errKey := c.Key(); err != nil || errKey != nil || got.Name() != want.Name() {
			t.Errorf("a variable, %q: %v %v, another key", text, err, errKey)
		}
	}
}

func TestLoad_ALinkedMasterKeyIsJudgedByItsTarget(t *testing.T) {
	t.Parallel()
	link := func(dir string) string {
		t.Helper()
		for from, to := range map[string]string{"..data": "..2026_11_22", "key": filepath.Join("..data", "key")} {
			if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(dir, "key")
	}
	for mode, want := range map[os.FileMode]string{0o400: "", 0o644: "other users can read it"} {
		dir := t.TempDir()
		keyFile(t, filepath.Join(dir, "..2026_11_22", "key"), mode)
		path := link(dir)
		_, err := config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY_FILE=" + path})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%o: got %v, want %q", mode, err, want)
		}
		if _, err := config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY_FILE=" + path, "CREDENTIALS_DIRECTORY=" + dir}); err != nil {
			t.Errorf("%o, as a credential: %v", mode, err)
		}
	}
	// A link out of the credentials directory doesn't count as a credential.
	outside, credentials := keyFile(t, filepath.Join(t.TempDir(), "key"), 0o644), t.TempDir()
	path := filepath.Join(credentials, "key")
	if err := os.Symlink(outside, path); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY_FILE=" + path, "CREDENTIALS_DIRECTORY=" + credentials}); err == nil {
		t.Error("a file outside counts as a credential by its link")
	}
}

func TestLoad_AMasterKeyInTheConfigurationItself(t *testing.T) {
	t.Parallel()
	file := write(t, whole+"master_key: "+seal.NewMasterKey()+"\n")
	if _, err := config.Load(file, nil); err != nil {
		t.Errorf("mode 600: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(file, nil); err == nil || !strings.Contains(err.Error(), "other users can read it") {
		t.Errorf("mode 644: got %v", err)
	}
	if _, err := config.Load(file, []string{"GRIOT_MASTER_KEY=" + seal.NewMasterKey()}); err != nil {
		t.Errorf("mode 644, with a key that is elsewhere: %v", err)
	}
}

func TestLoad_PublicAddressesAreHttps(t *testing.T) {
	t.Parallel()
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	for auth, refused := range map[string]bool{
		"https://login.example.com": false, "http://login.example.com": true, "http://192.168.1.20:8081": true, "http://10.0.0.1": true,
		"http://127.0.0.1:8081": false, "http://127.0.0.2:8081": false, "http://localhost:8081": false, "http://[::1]:8081": false, "http://localhost.example.com": true,
	} {
		text := strings.Replace(whole, "https://login.example.com", auth, 1)
		_, err := config.Load(write(t, text), []string{good})
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "auth.url") {
			t.Errorf("%s: got %v, want it refused: %v", auth, err, refused)
		}
		if _, err := config.Load(write(t, text+"insecure: true\n"), []string{good}); err != nil {
			t.Errorf("%s, insecure: %v", auth, err)
		}
	}
	if _, err := config.Load(write(t, strings.Replace(whole, "https://api", "http://api", 1)), []string{good}); err == nil || !strings.Contains(err.Error(), "api.url") {
		t.Errorf("api.url: got %v", err)
	}
}
