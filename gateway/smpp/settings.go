package smpp

import (
	"cmp"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"griot/gateway/internal/setting"
)

// Values of tls.
const (
	implicitTLS = "implicit"
	noTLS       = "none"
)

// Values of alphabet: the encoding of text within the GSM alphabet.
const (
	alphabetGSM           = "gsm"            // data_coding 0
	alphabetLatin1        = "latin1"         // data_coding 3
	alphabetLatin1Default = "latin1_default" // data_coding 0, of a center whose default is Latin-1
)

// Values of long_messages: how texts longer than a segment are sent.
const (
	longUDH8    = "udh8"
	longUDH16   = "udh16"
	longPayload = "payload"
)

// Values of validity: the form of validity_period.
const (
	validityRelative = "relative"
	validityAbsolute = "absolute"
	validityNone     = "none"
)

// Values of ack_id and receipt_id: the center's form of message ids.
const (
	idText    = "text"
	idHex     = "hex"
	idDecimal = "decimal"
)

type settings struct {
	Host              string `json:"host"`
	Port              int    `json:"port"`
	TLS               string `json:"tls"`
	AllowPlaintext    bool   `json:"allow_plaintext"`
	CAFile            string `json:"ca_file"`
	SystemID          string `json:"system_id"`
	Password          string `json:"password"`
	PasswordFile      string `json:"password_file"`
	SystemType        string `json:"system_type"`
	Window            int    `json:"window"`
	MessagesPerSecond int    `json:"messages_per_second"`
	ConnectTimeout    int    `json:"connect_timeout"` // seconds, as the next two
	ResponseTimeout   int    `json:"response_timeout"`
	EnquireInterval   int    `json:"enquire_interval"`
	Alphabet          string `json:"alphabet"`
	Transliterate     bool   `json:"transliterate"`
	LongMessages      string `json:"long_messages"`
	Validity          string `json:"validity"`
	Receipts          *bool  `json:"receipts"`
	AckID             string `json:"ack_id"`
	ReceiptID         string `json:"receipt_id"`
	ServiceType       string `json:"service_type"`
	SourceTON         *byte  `json:"source_ton"`
	SourceNPI         *byte  `json:"source_npi"`
	DestinationTON    *byte  `json:"destination_ton"`
	DestinationNPI    *byte  `json:"destination_npi"`
	CountryCode       string `json:"country_code"`
}

// parse reads the settings and sets defaults. Its errors name members, never their values.
func parse(raw json.RawMessage) (settings, error) {
	var s settings
	if err := setting.Parse(raw, &s); err != nil {
		return settings{}, err
	}
	s.TLS = cmp.Or(s.TLS, implicitTLS)
	s.Port = cmp.Or(s.Port, map[string]int{implicitTLS: 3550, noTLS: 2775}[s.TLS])
	s.Window = cmp.Or(s.Window, 10)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, 10)
	s.ResponseTimeout = cmp.Or(s.ResponseTimeout, 30)
	s.EnquireInterval = cmp.Or(s.EnquireInterval, 30)
	s.Alphabet = cmp.Or(s.Alphabet, alphabetGSM)
	s.LongMessages = cmp.Or(s.LongMessages, longUDH8)
	s.Validity = cmp.Or(s.Validity, validityRelative)
	s.AckID = cmp.Or(s.AckID, idText)
	s.ReceiptID = cmp.Or(s.ReceiptID, s.AckID)
	if err := s.check(); err != nil {
		return settings{}, err
	}
	return s, nil
}

func (s settings) check() error {
	switch {
	case s.Host == "" || !setting.IsWord(s.Host):
		return errors.New("settings: host must be a name or an address")
	case s.TLS == noTLS && !s.AllowPlaintext && !setting.IsLoopback(s.Host):
		return errors.New("settings: tls can be none only for a loopback host, or with allow_plaintext")
	case s.TLS != noTLS && s.AllowPlaintext:
		return errors.New("settings: allow_plaintext goes with tls none only")
	case s.TLS == noTLS && s.CAFile != "":
		return errors.New("settings: ca_file has no use with tls none")
	case s.SystemID == "" || len(s.SystemID) > 15 || !setting.IsWord(s.SystemID):
		return errors.New("settings: system_id must have 1 to 15 ASCII characters without spaces")
	case s.Password != "" && s.PasswordFile != "":
		return errors.New("settings: password and password_file exclude each other")
	case s.Password+s.PasswordFile == "":
		return errors.New("settings: password or password_file is missing")
	case len(s.SystemType) > 12 || !setting.IsWord(s.SystemType):
		return errors.New("settings: system_type has at most 12 ASCII characters without spaces")
	case len(s.ServiceType) > 5 || !setting.IsWord(s.ServiceType):
		return errors.New("settings: service_type has at most 5 ASCII characters without spaces")
	case len(s.CountryCode) > 3 || strings.Trim(s.CountryCode, "0123456789") != "" || strings.HasPrefix(s.CountryCode, "0"):
		return errors.New("settings: country_code must be 1 to 3 digits")
	}
	return cmp.Or(s.checkWords(), s.checkNumbers())
}

func (s settings) checkWords() error {
	for _, w := range []struct {
		name, value string
		of          []string
	}{
		{"tls", s.TLS, []string{implicitTLS, noTLS}},
		{"alphabet", s.Alphabet, []string{alphabetGSM, alphabetLatin1, alphabetLatin1Default}},
		{"long_messages", s.LongMessages, []string{longUDH8, longUDH16, longPayload}},
		{"validity", s.Validity, []string{validityRelative, validityAbsolute, validityNone}},
		{"ack_id", s.AckID, []string{idText, idHex, idDecimal}},
		{"receipt_id", s.ReceiptID, []string{idText, idHex, idDecimal}},
	} {
		if !slices.Contains(w.of, w.value) {
			return fmt.Errorf("settings: %s must be one of %s", w.name, strings.Join(w.of, ", "))
		}
	}
	if (s.AckID == idText) != (s.ReceiptID == idText) {
		return errors.New("settings: ack_id and receipt_id are both text, or neither is")
	}
	return nil
}

func (s settings) checkNumbers() error {
	for _, n := range []struct {
		name      string
		value     int
		low, high int
	}{
		{"port", s.Port, 1, 65535},
		{"window", s.Window, 1, 1000},
		{"messages_per_second", s.MessagesPerSecond, 0, 100_000},
		{"connect_timeout", s.ConnectTimeout, 1, 600},
		{"response_timeout", s.ResponseTimeout, 1, 600},
		{"enquire_interval", s.EnquireInterval, 1, 3600},
	} {
		if err := setting.CheckRange(n.name, n.value, n.low, n.high); err != nil {
			return err
		}
	}
	return nil
}

// read reads the files that the settings name.
func (s *settings) read() (*x509.CertPool, error) {
	if s.PasswordFile != "" {
		var err error
		if s.Password, err = setting.FromFile("password_file", s.PasswordFile); err != nil {
			return nil, err
		}
	}
	if len(s.Password) > 64 || strings.IndexByte(s.Password, 0) >= 0 {
		return nil, errors.New("settings: the password has more than 64 octets, or holds a NUL")
	}
	return setting.Authorities("ca_file", s.CAFile)
}

func (s settings) wantsReceipts() bool { return s.Receipts == nil || *s.Receipts }

func (s settings) responseTimeout() time.Duration { return seconds(s.ResponseTimeout) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
