package twilio

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/phone"
)

type settings struct {
	httpcall.APISettings
	AccountSID          string `json:"account_sid"`
	AuthToken           string `json:"auth_token"`
	AuthTokenFile       string `json:"auth_token_file"`
	APIKeySID           string `json:"api_key_sid"`
	APIKeySecret        string `json:"api_key_secret"`
	APIKeySecretFile    string `json:"api_key_secret_file"`
	MessagingServiceSID string `json:"messaging_service_sid"`
	WebhookURL          string `json:"webhook_url"`
	Transliterate       bool   `json:"transliterate"`
	CountryCode         string `json:"country_code"`

	SharedKeys []sharedKey `json:"shared_keys"`

	home phone.Region // of CountryCode
}

// sharedKey is a key that Twilio can sign webhooks with instead of the auth token (Twilio's SharedKey).
type sharedKey struct {
	ID         string `json:"id"`     // Twilio's ID of the key, which each call names: webhooks_sharedkey_…
	Secret     string `json:"secret"` // required, or SecretFile
	SecretFile string `json:"secret_file"`
}

// parse reads the settings and sets defaults. Its errors contain the names of fields, never their values.
func parse(raw json.RawMessage) (s settings, client *httpcall.Client, err error) {
	if err = setting.Parse(raw, &s); err != nil {
		return s, nil, err
	}
	client, err = s.Client("https://api.twilio.com", 32)
	err = errors.Join(err, s.secrets(), s.names(), s.checkWebhookURL(), setting.CountryCode(s.CountryCode, &s.home))
	return s, client, err
}

func (s *settings) secrets() (err error) {
	if s.AuthToken, err = setting.Secret("auth_token", s.AuthToken, s.AuthTokenFile, false); err != nil {
		return err
	}
	if s.APIKeySecret, err = setting.Secret("api_key_secret", s.APIKeySecret, s.APIKeySecretFile, false); err != nil {
		return err
	}
	switch {
	case (s.APIKeySID == "") != (s.APIKeySecret == ""):
		return errors.New("settings: api_key_sid and api_key_secret go together")
	case s.AuthToken == "" && s.APIKeySID == "":
		return errors.New("settings: auth_token is needed, or an API key")
	case s.AuthToken == "" && len(s.SharedKeys) == 0 && s.WebhookURL != "":
		return errors.New("settings: webhook_url needs auth_token or shared_keys: Twilio signs with nothing else")
	case len(s.SharedKeys) > 0 && s.WebhookURL == "":
		return errors.New("settings: shared_keys needs webhook_url")
	}
	return s.sharedKeys()
}

// sharedKeys reads the secrets of the shared keys.
func (s *settings) sharedKeys() (err error) {
	ids := map[string]bool{}
	for i := range s.SharedKeys {
		k, name := &s.SharedKeys[i], fmt.Sprintf("shared_keys[%d]", i)
		if k.Secret, err = setting.Secret(name+".secret", k.Secret, k.SecretFile, true); err != nil {
			return err
		}
		k.ID = strings.TrimSpace(k.ID)
		if !setting.IsWord(k.ID) || strings.ContainsAny(k.ID, ",=") || k.ID == "" {
			return fmt.Errorf("settings: %s.id must be Twilio's ID of the key, such as webhooks_sharedkey_…", name)
		}
		if ids[k.ID] {
			return fmt.Errorf("settings: %s.id is there twice", name)
		}
		ids[k.ID] = true
	}
	return nil
}

func (s *settings) names() error {
	for _, n := range []struct{ name, value, prefix string }{
		{"account_sid", s.AccountSID, "AC"}, {"api_key_sid", s.APIKeySID, "SK"}, {"messaging_service_sid", s.MessagingServiceSID, "MG"},
	} {
		if (n.value != "" || n.prefix == "AC") && !regexp.MustCompile(`\A`+n.prefix+`[0-9a-fA-F]{32}\z`).MatchString(n.value) {
			return errors.New("settings: " + n.name + " must be " + n.prefix + " and 32 hexadecimal digits")
		}
	}
	return nil
}

func (s *settings) checkWebhookURL() (err error) {
	if s.WebhookURL != "" {
		s.WebhookURL, err = setting.BaseURL("webhook_url", s.WebhookURL, false)
	}
	return err
}

// authorization returns the Authorization header of each call, for the API key if there is one.
func (s *settings) authorization() string {
	who := s.AccountSID + ":" + s.AuthToken
	if s.APIKeySID != "" {
		who = s.APIKeySID + ":" + s.APIKeySecret
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(who))
}
