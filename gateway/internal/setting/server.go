package setting

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Server contains the settings of a server that is reached over TCP. A driver embeds them in its own.
type Server struct {
	Host           string `json:"host"`
	Port           int    `json:"port"`
	TLS            string `json:"tls"`
	AllowPlaintext bool   `json:"allow_plaintext"`
	CAFile         string `json:"ca_file"`
}

// TLSMode is a value of tls, with the default port.
type TLSMode struct {
	Name string
	Port int
}

// NoTLS is the name of the mode without encryption.
const NoTLS = "none"

// Check sets the defaults, converts the host to A-labels, and checks the values. The first mode is the default of tls.
func (s *Server) Check(modes ...TLSMode) error {
	s.TLS = cmp.Or(s.TLS, modes[0].Name)
	mode := slices.IndexFunc(modes, func(m TLSMode) bool { return m.Name == s.TLS })
	var err error
	if s.Host, err = Address("host", s.Host); err != nil {
		return err
	}
	Domain(&s.Host)
	switch {
	case s.Host == "" || !IsWord(s.Host):
		return errors.New("settings: host must be a name or an address")
	case mode < 0:
		var names []string
		for _, m := range modes {
			names = append(names, m.Name)
		}
		return fmt.Errorf("settings: tls must be one of %s", strings.Join(names, ", "))
	case s.TLS == NoTLS && !s.AllowPlaintext && !IsLoopback(s.Host):
		return errors.New("settings: tls can be none only for a loopback host, or with allow_plaintext")
	case s.TLS != NoTLS && s.AllowPlaintext:
		return errors.New("settings: allow_plaintext goes with tls none only")
	case s.TLS == NoTLS && s.CAFile != "":
		return errors.New("settings: ca_file has no use with tls none")
	}
	return Number("port", &s.Port, modes[mode].Port, 1, 65535)
}

// TLSConfig returns the TLS configuration for the server. It reads ca_file. It returns nil with [NoTLS].
func (s *Server) TLSConfig() (*tls.Config, error) {
	if s.TLS == NoTLS {
		return nil, nil
	}
	authorities, err := Authorities("ca_file", s.CAFile)
	if err != nil {
		return nil, err
	}
	return &tls.Config{ServerName: s.Host, RootCAs: authorities, MinVersion: tls.VersionTLS12}, nil
}
