package smtp

import (
	"cmp"
	"crypto/x509"
	"encoding/json"
	"errors"
	"os"

	"griot/gateway/internal/mailtext"
	"griot/gateway/internal/setting"
)

// Values of tls.
const (
	startTLS    = "starttls" // RFC 3207, mandatory
	implicitTLS = "implicit" // TLS from the first byte, RFC 8314
	noTLS       = "none"
)

type settings struct {
	Host           string `json:"host"`
	Port           int    `json:"port"`
	TLS            string `json:"tls"`
	AllowPlaintext bool   `json:"allow_plaintext"`
	CAFile         string `json:"ca_file"`
	Username       string `json:"username"`
	Password       string `json:"password"`
	PasswordFile   string `json:"password_file"`
	HELO           string `json:"helo"`
	Pool           int    `json:"pool"`
	ConnectTimeout int    `json:"connect_timeout"` // seconds, as the other two
	SendTimeout    int    `json:"send_timeout"`
	IdleTimeout    int    `json:"idle_timeout"`

	mailtext.Unsubscribe
	DKIMDomain   string `json:"dkim_domain"`
	DKIMSelector string `json:"dkim_selector"`
	DKIMKeyFile  string `json:"dkim_key_file"`
}

// parse reads the settings and sets defaults. Its errors name members, never their values.
func parse(raw json.RawMessage) (settings, error) {
	var s settings
	if err := setting.Parse(raw, &s); err != nil {
		return settings{}, err
	}
	s.TLS = cmp.Or(s.TLS, startTLS)
	s.Port = cmp.Or(s.Port, map[string]int{startTLS: 587, implicitTLS: 465, noTLS: 25}[s.TLS])
	s.Pool = cmp.Or(s.Pool, 4)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, 15)
	s.SendTimeout = cmp.Or(s.SendTimeout, 120)
	s.IdleTimeout = cmp.Or(s.IdleTimeout, 30)
	if err := s.check(); err != nil {
		return settings{}, err
	}
	return s, nil
}

func (s settings) check() error {
	switch {
	case s.Host == "" || !setting.IsWord(s.Host):
		return errors.New("settings: host must be a name or an address")
	case s.TLS != startTLS && s.TLS != implicitTLS && s.TLS != noTLS:
		return errors.New("settings: tls must be starttls, implicit or none")
	case s.TLS == noTLS && !s.AllowPlaintext && !setting.IsLoopback(s.Host):
		return errors.New("settings: tls can be none only for a loopback host, or with allow_plaintext")
	case s.TLS != noTLS && s.AllowPlaintext:
		return errors.New("settings: allow_plaintext goes with tls none only")
	case s.TLS == noTLS && s.CAFile != "":
		return errors.New("settings: ca_file has no use with tls none")
	case s.Password != "" && s.PasswordFile != "":
		return errors.New("settings: password and password_file exclude each other")
	case (s.Username == "") != (s.Password+s.PasswordFile == ""):
		return errors.New("settings: username and password go together")
	case (s.DKIMDomain == "") != (s.DKIMSelector == "") || (s.DKIMDomain == "") != (s.DKIMKeyFile == ""):
		return errors.New("settings: dkim_domain, dkim_selector and dkim_key_file go together")
	case !isLabels(s.DKIMDomain) || !isLabels(s.DKIMSelector):
		return errors.New("settings: dkim_domain and dkim_selector must be names as in DNS")
	case !setting.IsWord(s.HELO):
		return errors.New("settings: helo must be a host name, or an address in brackets")
	}
	for _, n := range []struct {
		name      string
		value     int
		low, high int
	}{
		{"port", s.Port, 1, 65535},
		{"pool", s.Pool, 1, 100},
		{"connect_timeout", s.ConnectTimeout, 1, 600},
		{"send_timeout", s.SendTimeout, 1, 3600},
		{"idle_timeout", s.IdleTimeout, 1, 3600},
	} {
		if err := setting.CheckRange(n.name, n.value, n.low, n.high); err != nil {
			return err
		}
	}
	return s.Unsubscribe.Check()
}

// read reads the files that the settings name.
func (s *settings) read() (*x509.CertPool, error) {
	if s.PasswordFile != "" {
		var err error
		if s.Password, err = setting.FromFile("password_file", s.PasswordFile); err != nil {
			return nil, err
		}
	}
	return setting.Authorities("ca_file", s.CAFile)
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
