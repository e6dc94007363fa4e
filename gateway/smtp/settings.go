package smtp

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"

	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/gateway/internal/setting"
)

// Values of tls.
const (
	startTLS    = "starttls" // RFC 3207, mandatory
	implicitTLS = "implicit" // TLS from the first byte, RFC 8314
)

type settings struct {
	setting.Server
	Username       string `json:"username"`
	Password       string `json:"password"`
	PasswordFile   string `json:"password_file"`
	HELO           string `json:"helo"`
	Pool           int    `json:"pool"`
	ConnectTimeout int    `json:"connect_timeout"` // in seconds, like the other two
	SendTimeout    int    `json:"send_timeout"`
	IdleTimeout    int    `json:"idle_timeout"`

	mailtext.Unsubscribe
	DKIMDomain   string `json:"dkim_domain"`
	DKIMSelector string `json:"dkim_selector"`
	DKIMKeyFile  string `json:"dkim_key_file"`
}

// parse reads the settings and sets defaults. Its errors contain the names of fields, never their values.
func parse(raw json.RawMessage) (settings, error) {
	var s settings
	if err := setting.Parse(raw, &s); err != nil {
		return settings{}, err
	}
	setting.Domain(&s.DKIMDomain)
	setting.Domain(&s.HELO)
	err := cmp.Or(
		s.Server.Check(setting.TLSMode{Name: startTLS, Port: 587}, setting.TLSMode{Name: implicitTLS, Port: 465}, setting.TLSMode{Name: setting.NoTLS, Port: 25}),
		setting.Number("pool", &s.Pool, 4, 1, 100),
		setting.Number("connect_timeout", &s.ConnectTimeout, 15, 1, 600),
		setting.Number("send_timeout", &s.SendTimeout, 120, 1, 3600),
		setting.Number("idle_timeout", &s.IdleTimeout, 30, 1, 3600),
		s.check(),
		s.Unsubscribe.Check(),
	)
	return s, err
}

func (s settings) check() error {
	switch {
	case (s.Username == "") != (s.Password+s.PasswordFile == ""):
		return errors.New("settings: username and password go together")
	case (s.DKIMDomain == "") != (s.DKIMSelector == "") || (s.DKIMDomain == "") != (s.DKIMKeyFile == ""):
		return errors.New("settings: dkim_domain, dkim_selector, and dkim_key_file go together")
	case !isLabels(s.DKIMDomain) || !isLabels(s.DKIMSelector):
		return errors.New("settings: dkim_domain and dkim_selector must be names as in DNS")
	case !setting.IsWord(s.HELO):
		return errors.New("settings: helo must be a host name, or an address in brackets")
	}
	return nil
}

// helo returns the name for EHLO.
func (s settings) helo() string {
	if s.HELO != "" {
		return s.HELO
	}
	if name, err := os.Hostname(); err == nil && name != "" && setting.IsWord(name) {
		return name
	}
	return "localhost"
}
