package httpsms

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"griot/gateway"
	"griot/gateway/internal/setting"
)

type settings struct {
	Preset         string `json:"preset"`
	URL            string `json:"url"`
	AllowPlaintext bool   `json:"allow_plaintext"`
	CAFile         string `json:"ca_file"`

	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Query   map[string]string `json:"query"`
	Form    map[string]string `json:"form"` // at most one of these four is the body
	JSON    json.RawMessage   `json:"json"`
	XML     string            `json:"xml"`
	Text    string            `json:"text"`
	Values  map[string]value  `json:"values"`
	Coding  coding            `json:"coding"`
	Basic   *basicLogin       `json:"basic"`
	OAuth   *oauthLogin       `json:"oauth"`

	Success   *rule       `json:"success"`
	ID        *look       `json:"id"`
	Errors    []errorRule `json:"errors"`
	ErrorCode *look       `json:"error_code"`

	CallbackURL string `json:"callback_url"`
	Receipts    *hook  `json:"receipts"`
	Inbound     *hook  `json:"inbound"`

	Deduplicates   bool `json:"deduplicates"`
	Rate           int  `json:"rate"` // messages a second
	Connections    int  `json:"connections"`
	ConnectTimeout int  `json:"connect_timeout"` // seconds
	SendTimeout    int  `json:"send_timeout"`    // seconds

	authorities *x509.CertPool
	values      map[string]string
}

// value is a placeholder of the operator's own: a key, an account, a sender's name.
type value struct {
	Value string `json:"value"`
	File  string `json:"value_file"`
}

// coding says how the gateway calls the two alphabets of SMS.
type coding struct {
	GSM  string `json:"gsm"`
	UCS2 string `json:"ucs2"`
}

type basicLogin struct {
	Username     string `json:"username"`
	Password     string `json:"password"`
	PasswordFile string `json:"password_file"`
}

// oauthLogin is OAuth 2.0's grant for machines: client_credentials.
type oauthLogin struct {
	URL              string `json:"url"`
	ClientID         string `json:"client_id"`
	ClientSecret     string `json:"client_secret"`
	ClientSecretFile string `json:"client_secret_file"`
	Scope            string `json:"scope"`
}

//go:embed presets/*.json
var presetFiles embed.FS

// presets lists the names of the presets.
func presets() []string {
	files, err := fs.Glob(presetFiles, "presets/*.json")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "presets/"), ".json")
	}
	return files
}

// parse reads the settings over those of their preset, and the files that they name.
func parse(raw json.RawMessage) (*settings, error) {
	s, err := merge(raw)
	if err != nil {
		return nil, err
	}
	s.Connections = cmp.Or(s.Connections, 32)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, 10)
	s.SendTimeout = cmp.Or(s.SendTimeout, 30)
	if s.authorities, err = setting.Authorities("ca_file", s.CAFile); err != nil {
		return nil, err
	}
	return s, cmp.Or(
		s.readValues(),
		s.readLogins(),
		s.checkURL(),
		setting.Between("rate", s.Rate, 0, 10_000),
		setting.Between("connections", s.Connections, 1, 1000),
		setting.Between("connect_timeout", s.ConnectTimeout, 1, 600),
		setting.Between("send_timeout", s.SendTimeout, 1, 600),
	)
}

// merge lays the settings over the preset that they name: maps member by member, rules as a whole, error rules before those of the preset.
func merge(raw json.RawMessage) (*settings, error) {
	s := &settings{}
	if err := setting.Parse(raw, s); err != nil {
		return nil, err
	}
	if s.Preset == "" {
		return s, nil
	}
	preset, err := presetFiles.ReadFile("presets/" + s.Preset + ".json")
	if err != nil {
		return nil, fmt.Errorf("settings: preset: there are %s", strings.Join(presets(), ", "))
	}
	base := &settings{}
	if err := setting.Parse(preset, base); err != nil {
		return nil, fmt.Errorf("preset %s: %w", s.Preset, err)
	}
	success, id, code, errs := base.Success, base.ID, base.ErrorCode, base.Errors
	base.Success, base.ID, base.ErrorCode, base.Errors = nil, nil, nil, nil
	if s.Form != nil || s.JSON != nil || s.XML != "" || s.Text != "" {
		base.dropBodiesUnlike(s)
	}
	if err := setting.Parse(raw, base); err != nil {
		return nil, err
	}
	base.Success, base.ID, base.ErrorCode = cmp.Or(base.Success, success), cmp.Or(base.ID, id), cmp.Or(base.ErrorCode, code)
	base.Errors = append(base.Errors, errs...)
	return base, nil
}

// dropBodiesUnlike takes the preset's body away when the settings bring one of another kind.
func (s *settings) dropBodiesUnlike(other *settings) {
	if other.Form == nil {
		s.Form = nil
	}
	s.JSON, s.XML, s.Text = nil, "", ""
}

// readValues takes in the operator's own placeholders.
func (s *settings) readValues() error {
	s.values = map[string]string{}
	for name, v := range s.Values {
		if !namePattern.MatchString(name) || isBuiltin(name) {
			return fmt.Errorf("settings: values: %q can't be the name of a value: lower-case letters, digits and underscores, and none of the built-in ones", name)
		}
		text := v.Value
		if v.File != "" {
			if v.Value != "" {
				return fmt.Errorf("settings: values: %s: value and value_file exclude each other", name)
			}
			content, err := readFile(v.File)
			if err != nil {
				return fmt.Errorf("settings: values: %s: %w", name, err)
			}
			text = content
		}
		if hasControl(text) {
			return fmt.Errorf("settings: values: %s must be one line of text", name)
		}
		s.values[name] = text
	}
	return nil
}

func (s *settings) readLogins() (err error) {
	if s.Basic != nil && s.OAuth != nil {
		return errors.New("settings: basic and oauth exclude each other")
	}
	if b := s.Basic; b != nil {
		if b.Username == "" || strings.Contains(b.Username, ":") || hasControl(b.Username) {
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
		if o.ClientID == "" || hasControl(o.ClientID) {
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

// checkURL wants https, and nothing of a message in what says whom we speak to.
func (s *settings) checkURL() error {
	scheme, rest, _ := strings.Cut(s.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	if strings.Contains(scheme+host, "{{") || strings.ContainsAny(s.URL, "# \t\r\n\\") || strings.Contains(host, "@") {
		return errors.New("settings: url must be an address like https://api.example.com/sms, with placeholders only after the host")
	}
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Host == "" {
		return errors.New("settings: url must be an address like https://api.example.com/sms")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !s.AllowPlaintext && !setting.IsLoopback(u.Hostname())) {
		return errors.New("settings: url must be https; http only to this machine or with allow_plaintext")
	}
	return nil
}

// pace is what rate asks for.
func (s *settings) pace() gateway.Pace {
	if s.Rate == 0 {
		return gateway.Pace{}
	}
	return gateway.Pace{Sender: second / duration(s.Rate), Burst: 1}
}

// given reports whether a raw JSON member is there.
func given(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }
