package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/config"
)

// An invalid value in its own file is reported at the setting that names the file, on its line or by its variable.
func TestLoad_AWrongValueInAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	const head = "database: sqlite:/tmp/griot.db\nauth:\n  url: https://login.example.com\n"
	const key = "master_key: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	for name, tt := range map[string]struct{ text, want string }{
		"master key":          {head + "api: {url: 'https://api.example.com'}\nmaster_key_file: FILE\n", "griot.yaml:5: master_key_file: must be 32 random bytes in base64 (openssl rand -base64 32)"},
		"previous master key": {head + "api: {url: 'https://api.example.com'}\n" + key + "master_key_previous_file: FILE\n", "griot.yaml:6: master_key_previous_file: must be 32 random bytes in base64 (use the file that was master_key_file before the rotation)"},
		"receiver":            {head + "  receivers:\n    - phone_id: x\n      number: '+22370000099'\n      secret_file: FILE\napi: {url: 'https://api.example.com'}\n" + key, "griot.yaml:7: auth.receivers[0].secret_file: must have at least 32 characters (openssl rand -hex 32)"},
		"sign-in":             {head + "api:\n  url: https://api.example.com\n  whatsapp_sign_in:\n    client_id: x\n    client_secret_file: EMPTY\n" + key, "griot.yaml:8: api.whatsapp_sign_in.client_secret_file: the file is empty"},
		"sign-in, no client":  {head + "api:\n  url: https://api.example.com\n  whatsapp_sign_in:\n    client_secret_file: EMPTY\n" + key, "griot.yaml:7: api.whatsapp_sign_in.client_secret_file: the file is empty"},
		"Stripe's key":        {head + "api: {url: 'https://api.example.com'}\n" + key + "billing:\n  provider: stripe\n  stripe:\n    prices: {price_1: pro}\n    webhook_secret: whsec_x\n    secret_key_file: FILE\n", "griot.yaml:11: billing.stripe.secret_key_file: must begin with sk_live_, rk_live_, sk_test_, or rk_test_"},
		"Stripe's webhook":    {head + "api: {url: 'https://api.example.com'}\n" + key + "billing:\n  provider: stripe\n  stripe:\n    prices: {price_1: pro}\n    secret_key: sk_test_x\n    webhook_secret_file: EMPTY\n", "griot.yaml:11: billing.stripe.webhook_secret_file: must be the signing secret of the endpoint, which begins with whsec_"},
	} {
		dir := t.TempDir()
		for file, content := range map[string]string{"FILE": "SECRET", "EMPTY": "\n"} {
			path := filepath.Join(dir, file)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			tt.text = strings.ReplaceAll(tt.text, file, path)
		}
		file := write(t, tt.text)
		_, err := config.Load(file, nil)
		problems, ok := errors.AsType[config.CheckError](err)
		if !ok || len(problems) != 1 {
			t.Errorf("%s: got %v, want one mistake", name, err)
			continue
		}
		if got := strings.ReplaceAll(problems[0].String(), filepath.Dir(file)+"/", ""); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(write(t, head+"api: {url: 'https://api.example.com'}\n"), []string{"GRIOT_MASTER_KEY_FILE=" + path})
	if want := "configuration: GRIOT_MASTER_KEY_FILE: master_key_file: must be 32 random bytes in base64 (openssl rand -base64 32)"; err == nil || err.Error() != want {
		t.Errorf("by a variable:\ngot  %v\nwant %s", err, want)
	}
}
