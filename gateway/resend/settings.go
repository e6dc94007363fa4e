package resend

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/gateway/internal/setting"
)

type settings struct {
	httpcall.APISettings
	APIKey            string `json:"api_key"`
	APIKeyFile        string `json:"api_key_file"`
	WebhookSecret     string `json:"webhook_secret"`
	WebhookSecretFile string `json:"webhook_secret_file"`
	PerSecond         int    `json:"per_second"`

	mailtext.Unsubscribe

	key []byte // decoded from WebhookSecret
}

// parse reads the settings and sets defaults. Its errors contain the names of fields, never their values.
func parse(raw json.RawMessage) (s settings, client *httpcall.Client, err error) {
	if err = setting.Parse(raw, &s); err != nil {
		return s, nil, err
	}
	client, err = s.Client("https://api.resend.com", 16)
	err = errors.Join(err, s.secrets(), s.Unsubscribe.Check(), setting.Number("per_second", &s.PerSecond, 2, 1, 1000))
	return s, client, err
}

func (s *settings) secrets() (err error) {
	if s.APIKey, err = setting.Secret("api_key", s.APIKey, s.APIKeyFile, true); err != nil {
		return err
	}
	if s.WebhookSecret, err = setting.Secret("webhook_secret", s.WebhookSecret, s.WebhookSecretFile, false); err != nil || s.WebhookSecret == "" {
		return err
	}
	encoded, ok := strings.CutPrefix(s.WebhookSecret, "whsec_")
	if s.key, err = base64.StdEncoding.DecodeString(encoded); !ok || err != nil || len(s.key) < 16 {
		return errors.New("settings: webhook_secret must be whsec_ and at least 16 bytes in base64")
	}
	return nil
}
