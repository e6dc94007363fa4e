package cloudapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

const base = `"access_token":"kora","phone_numbers":[{"id":"1","number":"+22376000001"}]`

func TestParse_Defaults(t *testing.T) {
	t.Parallel()
	s, _, err := parse(json.RawMessage(`{` + base + `}`))
	if err != nil || s.BaseURL != "https://graph.facebook.com" || s.APIVersion != "v23.0" || s.Pool != 32 || s.byNumber["22376000001"] != "1" || s.byID["1"] != "22376000001" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		``, `null`, `{}`, `{"access_token":"kora"}`, `{"phone_numbers":[{"id":"1","number":"+22376000001"}]}`,
		`{` + base + `,"token":"balafon"}`, `{` + base + `,"access_token_file":"x"}`, `{` + base + `,"app_secret":"balafon"}`, `{` + base + `,"verify_token":"balafon"}`,
		`{` + base + `,"base_url":"http://graph.test"}`, `{` + base + `,"base_url":"https://a:balafon@graph.test"}`,
		`{` + base + `,"api_version":"23"}`, `{` + base + `,"api_version":"v23.0/x"}`, `{` + base + `,"pool":1001}`, `{` + base + `,"send_timeout":-1}`, `{` + base + `,"connect_timeout":601}`,
		`{` + base + `,"code_template":{}}`, `{` + base + `,"code_template":{"name":"a"}}`, `{` + base + `,"code_template":{"name":"a","languages":{"fr":""}}}`, `{` + base + `,"code_template":{"name":"a","language":"fr"}}`,
		`{` + base + `,"preset_templates":{"order_shipped":{}}}`, `{` + base + `,"preset_templates":{"otp":{"name":"a","languages":{"fr":"fr"}}}}`,
		`{` + base + `,"preset_templates":{"order_shipped":{"name":"a","languages":{"fr":"fr"},"body":[""]}}}`,
		`{` + base + `,"ca_file":"/nowhere/ca.pem"}`, `{` + base + `,"portfolio":"ko ra"}`, `{` + base + `,"portfolio":"Kora"}`, `{` + base + `,"portfolio":"` + strings.Repeat("a", 65) + `"}`,
		`{"access_token":"kora","phone_numbers":[{"id":"1","number":"+22376000001","coexistence":"balafon"}]}`,
		`{"access_token":"kora","phone_numbers":[{"id":"x","number":"+22376000001"}]}`, `{"access_token":"kora","phone_numbers":[{"id":"1","number":"76"}]}`,
		`{"access_token":"kora","phone_numbers":[{"id":"1","number":"+22376000001"},{"id":"1","number":"+22376000002"}]}`,
		`{"access_token":"kora","phone_numbers":[{"id":"1","number":"+22376000001"},{"id":"2","number":"22376000001"}]}`,
		`{"access_token":"ko ra","phone_numbers":[{"id":"1","number":"+22376000001"}]}`, `{"access_token":314159,"phone_numbers":[]}`,
	} {
		_, err := Open(json.RawMessage(raw), gatewaytest.NewEnvironment().Deps())
		if err == nil {
			t.Errorf("%s is accepted", raw)
			continue
		}
		for _, word := range []string{"balafon", "kora", "314159", "ko ra"} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v", raw, err)
			}
		}
	}
}

func TestParse_SecretsFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	raw, err := json.Marshal(map[string]any{
		"access_token_file": write("kora"), "app_secret_file": write("balafon"), "verify_token_file": write("djembe"),
		"phone_numbers": []any{map[string]any{"id": "1", "number": "22376000001"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := parse(raw)
	if err != nil || s.AccessToken != "kora" || s.AppSecret != "balafon" || s.VerifyToken != "djembe" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	without := map[string]string{"es": "es_ES", "en": "en_GB"}
	for locale, want := range map[string]string{"en": "en_GB", "fr": "en_GB", "": "en_GB", "es": "es_ES"} {
		if got := languageOf(without, locale); got != want {
			t.Errorf("%q: %s, want %s", locale, got, want)
		}
	}
}
