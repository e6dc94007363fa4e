package smtp

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// How a connection is secured.
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

	ListUnsubscribe     string `json:"list_unsubscribe"`
	ListUnsubscribePost bool   `json:"list_unsubscribe_post"`
	DKIMDomain          string `json:"dkim_domain"`
	DKIMSelector        string `json:"dkim_selector"`
	DKIMKeyFile         string `json:"dkim_key_file"`
}

// parse reads the settings, with defaults for what is left out. Its errors name members, never their values.
func parse(raw json.RawMessage) (settings, error) {
	var s settings
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return settings{}, fmt.Errorf("settings: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return settings{}, errors.New("settings: something follows the object")
	}
	s.TLS = cmp.Or(s.TLS, startTLS)
	s.Port = cmp.Or(s.Port, map[string]int{startTLS: 587, implicitTLS: 465, noTLS: 25}[s.TLS])
	s.Pool = cmp.Or(s.Pool, 4)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, 15)
	s.SendTimeout = cmp.Or(s.SendTimeout, 120)
	s.IdleTimeout = cmp.Or(s.IdleTimeout, 30)
	if err := s.check(); err != nil {
		return settings{}, fmt.Errorf("settings: %w", err)
	}
	return s, nil
}

func (s settings) check() error {
	switch {
	case s.Host == "" || !isWord(s.Host):
		return errors.New("host must be a name or an address")
	case s.TLS != startTLS && s.TLS != implicitTLS && s.TLS != noTLS:
		return errors.New("tls must be starttls, implicit or none")
	case s.TLS == noTLS && !s.AllowPlaintext && !isLoopback(s.Host):
		return errors.New("tls can be none only for a loopback host, or with allow_plaintext")
	case s.TLS != noTLS && s.AllowPlaintext:
		return errors.New("allow_plaintext goes with tls none only")
	case s.TLS == noTLS && s.CAFile != "":
		return errors.New("ca_file has no use with tls none")
	case s.Password != "" && s.PasswordFile != "":
		return errors.New("password and password_file exclude each other")
	case (s.Username == "") != (s.Password+s.PasswordFile == ""):
		return errors.New("username and password go together")
	case s.ListUnsubscribe != "" && !isUnsubscribe(s.ListUnsubscribe):
		return errors.New("list_unsubscribe must be an e-mail address, or an address that begins with https://")
	case s.ListUnsubscribePost && !strings.HasPrefix(s.ListUnsubscribe, "https://"):
		return errors.New("list_unsubscribe_post goes with an https address in list_unsubscribe")
	case (s.DKIMDomain == "") != (s.DKIMSelector == "") || (s.DKIMDomain == "") != (s.DKIMKeyFile == ""):
		return errors.New("dkim_domain, dkim_selector and dkim_key_file go together")
	case !isLabels(s.DKIMDomain) || !isLabels(s.DKIMSelector):
		return errors.New("dkim_domain and dkim_selector must be names as in DNS")
	case !isWord(s.HELO):
		return errors.New("helo must be a host name, or an address in brackets")
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
		if n.value < n.low || n.value > n.high {
			return fmt.Errorf("%s must be from %d to %d", n.name, n.low, n.high)
		}
	}
	return nil
}

// read takes in the files that the settings name.
func (s *settings) read() (*x509.CertPool, error) {
	if s.PasswordFile != "" {
		secret, err := os.ReadFile(s.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("settings: password_file: %w", err)
		}
		if s.Password = strings.TrimRight(string(secret), "\r\n"); s.Password == "" {
			return nil, errors.New("settings: password_file is empty")
		}
	}
	if s.CAFile == "" {
		return nil, nil // the system's
	}
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, fmt.Errorf("settings: ca_file: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, errors.New("settings: ca_file holds no certificate in PEM")
	}
	return authorities, nil
}

// isWord reports whether s can stand in a line of SMTP as one word; "" can.
func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// helo is the name that we give ourselves at the relay.
func (s settings) helo() string {
	if s.HELO != "" {
		return s.HELO
	}
	if name, err := os.Hostname(); err == nil && name != "" && isWord(name) {
		return name
	}
	return "localhost"
}
