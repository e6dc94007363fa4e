package httpgate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
)

// Settings are the settings of every kind of gateway. A driver embeds them in its own.
type Settings struct {
	Preset         string `json:"preset"`
	BaseURL        string `json:"base_url"`
	URL            string `json:"url"` // with base_url: a path below it
	AllowPlaintext bool   `json:"allow_plaintext"`
	httpcall.Settings

	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Query   map[string]string `json:"query"`
	Form    map[string]string `json:"form"` // the body; at most one of these four is set
	JSON    json.RawMessage   `json:"json"`
	XML     string            `json:"xml"`
	Text    string            `json:"text"`
	Values  map[string]value  `json:"values"`
	Basic   *basicLogin       `json:"basic"`
	OAuth   *oauthLogin       `json:"oauth"`

	Success   *rule       `json:"success"`
	ID        *locator    `json:"id"`
	Errors    []errorRule `json:"errors"`
	ErrorCode *locator    `json:"error_code"`
	Duplicate *rule       `json:"duplicate"` // matches a response that reports an earlier acceptance of the reference
	Probe     *probe      `json:"probe"`

	CallbackURL string           `json:"callback_url"`
	Receipts    *WebhookSettings `json:"receipts"`

	Deduplicates    bool `json:"deduplicates"`
	DeduplicatesFor int  `json:"deduplicates_for"` // in seconds; 0: no limit
	Rate            int  `json:"rate"`             // messages per second
	Connections     int  `json:"connections"`

	values map[string]string
}

// value is the value of an operator's own placeholder: a key, an account, or a sender's name.
type value struct {
	Value string `json:"value"`
	File  string `json:"value_file"`
}

type basicLogin struct {
	Username     string `json:"username"`
	Password     string `json:"password"`
	PasswordFile string `json:"password_file"`
}

// oauthLogin is the grant client_credentials of OAuth 2.0 (RFC 6749 §4.4).
type oauthLogin struct {
	URL              string `json:"url"`
	ClientID         string `json:"client_id"`
	ClientSecret     string `json:"client_secret"`
	ClientSecretFile string `json:"client_secret_file"`
	Scope            string `json:"scope"`
}

// prepare reads the files that the settings name, and makes the checks that need no template. It returns the gateway's client.
func (s *Settings) prepare() (*httpcall.Client, error) {
	if err := setting.Number("connections", &s.Connections, 32, 1, 1000); err != nil {
		return nil, err
	}
	client, err := s.Client(httpcall.Options{Connections: s.Connections, MaxAnswer: maxAnswer})
	if err != nil {
		return nil, err
	}
	return client, cmp.Or(
		s.readLogins(),
		s.checkURLs(),
		setting.CheckRange("deduplicates_for", s.DeduplicatesFor, 0, 10*24*3600),
		setting.CheckRange("rate", s.Rate, 0, 10_000),
	)
}

// checkURLs resolves url and probe.url against base_url, and checks them.
func (s *Settings) checkURLs() (err error) {
	if s.BaseURL != "" {
		if s.BaseURL, err = setting.BaseURL("base_url", s.BaseURL, s.AllowPlaintext); err != nil {
			return err
		}
	}
	if s.URL, err = s.address("url", s.URL); err == nil && s.Probe != nil {
		s.Probe.URL, err = s.address("probe.url", s.Probe.URL)
	}
	return err
}

// readValues reads the operator's own placeholders. Their names must differ from the built-in ones.
func (s *Settings) readValues(builtins []string) error {
	s.values = map[string]string{}
	for name, v := range s.Values {
		if !namePattern.MatchString(name) || slices.Contains(builtins, name) {
			return fmt.Errorf("settings: values: %q can't be the name of a value: lower-case letters, digits, and underscores, and none of the built-in ones", name)
		}
		text := v.Value
		if v.File != "" {
			if v.Value != "" {
				return fmt.Errorf("settings: values: %s: value and value_file exclude each other", name)
			}
			var err error
			if text, err = setting.FromFile("values: "+name, v.File); err != nil {
				return err
			}
		}
		if HasControl(text) {
			return fmt.Errorf("settings: values: %s must be one line of text", name)
		}
		s.values[name] = text
	}
	return nil
}

func (s *Settings) readLogins() (err error) {
	if s.Basic != nil && s.OAuth != nil {
		return errors.New("settings: basic and oauth exclude each other")
	}
	if b := s.Basic; b != nil {
		if b.Username == "" || strings.Contains(b.Username, ":") || HasControl(b.Username) {
			return errors.New("settings: basic.username is needed, without a colon")
		}
		if b.Password, err = setting.Secret("basic.password", b.Password, b.PasswordFile, true); err != nil {
			return err
		}
	}
	if o := s.OAuth; o != nil {
		if o.URL, err = setting.BaseURL("oauth.url", o.URL, s.AllowPlaintext); err != nil {
			return err
		}
		if o.ClientID == "" || HasControl(o.ClientID) {
			return errors.New("settings: oauth.client_id is needed")
		}
		if o.ClientSecret, err = setting.Secret("oauth.client_secret", o.ClientSecret, o.ClientSecretFile, true); err != nil {
			return err
		}
	}
	if s.CallbackURL != "" {
		s.CallbackURL, err = setting.BaseURL("callback_url", s.CallbackURL, true)
	}
	return err
}

// address checks that a URL uses HTTPS and has no placeholder before its path.
func (s *Settings) address(where, given string) (string, error) {
	given, err := setting.Address(where, given)
	if err != nil {
		return "", err
	}
	if s.BaseURL != "" && strings.HasPrefix(given, "/") {
		given = s.BaseURL + given
	}
	scheme, rest, _ := strings.Cut(given, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	if strings.Contains(scheme+host, "{{") || strings.ContainsAny(given, "# \t\r\n\\") || strings.Contains(host, "@") {
		return "", fmt.Errorf("settings: %s must be an address like https://api.example.com/messages, with placeholders only after the host", where)
	}
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("settings: %s must be an address like https://api.example.com/messages", where)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !s.AllowPlaintext && !setting.IsLoopback(u.Hostname())) {
		return "", fmt.Errorf("settings: %s must be https; http only to this machine or with allow_plaintext", where)
	}
	return given, nil
}

// pace returns the pace of the setting rate.
func (s *Settings) pace() gateway.Pace {
	if s.Rate == 0 {
		return gateway.Pace{}
	}
	return gateway.Pace{Sender: time.Second / time.Duration(s.Rate), Burst: 1}
}

// isSet reports whether a raw JSON field is present and not null.
func isSet(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }
