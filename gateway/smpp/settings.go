package smpp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/phone"
)

// implicitTLS is the value of tls for TLS from the first byte.
const implicitTLS = "implicit"

// Values of alphabet: the encoding of text within the GSM alphabet.
const (
	alphabetGSM           = "gsm"            // data_coding 0
	alphabetLatin1        = "latin1"         // data_coding 3
	alphabetLatin1Default = "latin1_default" // data_coding 0, of a center whose default is Latin-1
)

// Values of data_coding_1: how received text with data_coding 1 is read if its octets fit both alphabets.
const (
	dataCoding1ASCII = "ascii"
	dataCoding1GSM   = "gsm"
)

// Values of long_messages: the method of sending texts longer than a segment.
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
	setting.Server
	SystemID          string `json:"system_id"`
	Password          string `json:"password"`
	PasswordFile      string `json:"password_file"`
	SystemType        string `json:"system_type"`
	Window            int    `json:"window"`
	MessagesPerSecond int    `json:"messages_per_second"`
	ConnectTimeout    int    `json:"connect_timeout"` // in seconds, like the next two
	ResponseTimeout   int    `json:"response_timeout"`
	EnquireInterval   int    `json:"enquire_interval"`
	Alphabet          string `json:"alphabet"`
	DataCoding1       string `json:"data_coding_1"`
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

	OptedOut []string `json:"opted_out"`

	home    phone.Region // of CountryCode
	optOuts optOuts      // of OptedOut
}

// parse reads the settings and sets defaults. Its errors contain the names of fields, never their values.
func parse(raw json.RawMessage) (settings, error) {
	var s settings
	if err := setting.Parse(raw, &s); err != nil {
		return settings{}, err
	}
	s.Alphabet = cmp.Or(s.Alphabet, alphabetGSM)
	s.DataCoding1 = cmp.Or(s.DataCoding1, dataCoding1ASCII)
	s.LongMessages = cmp.Or(s.LongMessages, longUDH8)
	s.Validity = cmp.Or(s.Validity, validityRelative)
	s.AckID = cmp.Or(s.AckID, idText)
	s.ReceiptID = cmp.Or(s.ReceiptID, s.AckID)
	var listErr error
	s.optOuts, listErr = parseOptOuts(s.OptedOut)
	err := cmp.Or(
		s.Server.Check(setting.TLSMode{Name: implicitTLS, Port: 3550}, setting.TLSMode{Name: setting.NoTLS, Port: 2775}),
		setting.Number("window", &s.Window, 10, 1, 1000),
		setting.CheckRange("messages_per_second", s.MessagesPerSecond, 0, 100_000),
		setting.Number("connect_timeout", &s.ConnectTimeout, 10, 1, 600),
		setting.Number("response_timeout", &s.ResponseTimeout, 30, 1, 600),
		setting.Number("enquire_interval", &s.EnquireInterval, 30, 1, 3600),
		s.check(),
		s.checkWords(),
		setting.CountryCode(s.CountryCode, &s.home),
		listErr,
	)
	return s, err
}

func (s settings) check() error {
	switch {
	case s.SystemID == "" || len(s.SystemID) > 15 || !setting.IsWord(s.SystemID):
		return errors.New("settings: system_id must have 1 to 15 ASCII characters without spaces")
	case len(s.SystemType) > 12 || !setting.IsWord(s.SystemType):
		return errors.New("settings: system_type has at most 12 ASCII characters without spaces")
	case len(s.ServiceType) > 5 || !setting.IsWord(s.ServiceType):
		return errors.New("settings: service_type has at most 5 ASCII characters without spaces")
	}
	return nil
}

func (s settings) checkWords() error {
	for _, w := range []struct {
		name, value string
		of          []string
	}{
		{"alphabet", s.Alphabet, []string{alphabetGSM, alphabetLatin1, alphabetLatin1Default}},
		{"data_coding_1", s.DataCoding1, []string{dataCoding1ASCII, dataCoding1GSM}},
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

// readPassword reads the password, whose length the protocol limits.
func (s *settings) readPassword() (err error) {
	if s.Password, err = setting.Password("password", s.Password, s.PasswordFile, true); err != nil {
		return err
	}
	if len(s.Password) > 64 || strings.IndexByte(s.Password, 0) >= 0 {
		return errors.New("settings: password has more than 64 octets, or holds a NUL")
	}
	return nil
}

func (s settings) wantsReceipts() bool { return s.Receipts == nil || *s.Receipts }

func (s settings) responseTimeout() time.Duration { return setting.Seconds(s.ResponseTimeout) }
