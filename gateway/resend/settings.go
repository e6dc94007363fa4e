package resend

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"griot/gateway/internal/httpcall"
	"griot/gateway/internal/mailtext"
	"griot/gateway/internal/setting"
)

type settings struct {
	APIKey            string `json:"api_key"`
	APIKeyFile        string `json:"api_key_file"`
	WebhookSecret     string `json:"webhook_secret"`
	WebhookSecretFile string `json:"webhook_secret_file"`
	PerSecond         int    `json:"per_second"`
	BaseURL           string `json:"base_url"`
	CAFile            string `json:"ca_file"`
	Pool              int    `json:"pool"`
	ConnectTimeout    int    `json:"connect_timeout"` // seconds, as the other
	SendTimeout       int    `json:"send_timeout"`

	mailtext.Unsubscribe

	key []byte // of WebhookSecret
}

// parse reads the settings, with defaults for what is left out. Its errors name members, never their values.
func parse(raw json.RawMessage) (settings, httpcall.Options, error) {
	var s settings
	fail := func(err error) (settings, httpcall.Options, error) { return settings{}, httpcall.Options{}, err }
	if err := setting.Parse(raw, &s); err != nil {
		return fail(err)
	}
	s.BaseURL = cmp.Or(s.BaseURL, "https://api.resend.com")
	s.PerSecond = cmp.Or(s.PerSecond, 2)
	s.Pool = cmp.Or(s.Pool, 16)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, 10)
	s.SendTimeout = cmp.Or(s.SendTimeout, 30)
	var err error
	if s.BaseURL, err = setting.BaseURL("base_url", s.BaseURL, false); err != nil {
		return fail(err)
	}
	if err := errors.Join(
		s.secrets(), s.Unsubscribe.Check(),
		setting.Between("per_second", s.PerSecond, 1, 1000),
		setting.Between("pool", s.Pool, 1, 1000),
		setting.Between("connect_timeout", s.ConnectTimeout, 1, 600),
		setting.Between("send_timeout", s.SendTimeout, 1, 600),
	); err != nil {
		return fail(err)
	}
	authorities, err := setting.Authorities("ca_file", s.CAFile)
	if err != nil {
		return fail(err)
	}
	return s, httpcall.Options{
		Timeout: time.Duration(s.SendTimeout) * time.Second, Connect: time.Duration(s.ConnectTimeout) * time.Second,
		Connections: s.Pool, Authorities: authorities,
	}, nil
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
