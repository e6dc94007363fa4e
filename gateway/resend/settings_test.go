package resend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

func TestParse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := parse(json.RawMessage(`{"api_key":"balafon","webhook_secret_file":"` + file + `"}`))
	if err != nil || s.BaseURL != "https://api.resend.com" || s.PerSecond != 2 || s.Pool != 16 || len(s.key) != 24 {
		t.Errorf("%+v %v", s, err)
	}
	const key = `"api_key":"balafon"`
	for _, raw := range []string{
		``, `{}`, `{` + key + `,"key":"a"}`, `{` + key + `,"api_key_file":"a"}`, `{` + key + `,"webhook_secret":"kora"}`, `{` + key + `,"webhook_secret":"whsec_kora"}`, `{` + key + `,"webhook_secret":"whsec_~"}`,
		`{` + key + `,"webhook_secret":"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`, `{` + key + `,"per_second":-1}`, `{` + key + `,"per_second":1001}`, `{` + key + `,"base_url":"http://api.test"}`,
		`{` + key + `,"pool":-1}`, `{` + key + `,"send_timeout":601}`, `{` + key + `,"connect_timeout":601}`, `{` + key + `,"ca_file":"/nowhere"}`, `{"api_key":"bala fon"}`,
	} {
		if _, err := Open(json.RawMessage(raw), gatewaytest.NewEnvironment().Deps()); err == nil || strings.Contains(err.Error(), "balafon") || strings.Contains(err.Error(), "kora") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
