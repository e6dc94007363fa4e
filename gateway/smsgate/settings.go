package smsgate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/phone"
)

// Values of mode.
const (
	modeLocal = "local" // requests go to the phone
	modeCloud = "cloud" // requests go to a server: the project's or a private one
)

type settings struct {
	httpcall.ServerSettings
	Mode            string `json:"mode"`
	Username        string `json:"username"`
	Password        string `json:"password"`
	PasswordFile    string `json:"password_file"`
	DeviceID        string `json:"device_id"`
	SIMs            []sim  `json:"sims"`
	CountryCode     string `json:"country_code"`
	DeliveryReports *bool  `json:"delivery_reports"`
	SigningKey      string `json:"signing_key"`
	SigningKeyFile  string `json:"signing_key_file"`
	Transliterate   bool   `json:"transliterate"`
	ClockSkew       int    `json:"clock_skew"` // in seconds, like the following settings
	Interval        int    `json:"interval"`

	home phone.Region // of CountryCode
}

// maxSlot is the highest slot of a phone.
const maxSlot = 3

// sim is one of the phone's numbers.
type sim struct {
	Number string `json:"number"`
	Slot   int    `json:"slot"` // 1 to 3; 0: the phone's default
}

// cloudURL is the API of the project's own server.
const cloudURL = "https://api.sms-gate.app/3rdparty/v1"

var devicePattern = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,64}\z`)

// parse reads the settings and their files, and sets defaults.
func parse(raw json.RawMessage) (s *settings, client *httpcall.Client, err error) {
	s = &settings{}
	if err = setting.Parse(raw, s); err != nil {
		return nil, nil, err
	}
	s.Mode = cmp.Or(s.Mode, modeLocal)
	if s.Mode == modeCloud {
		s.URL = cmp.Or(s.URL, cloudURL)
	}
	if client, err = s.Client(httpcall.Options{Connections: 8, MaxAnswer: 64 << 10}); err != nil {
		return nil, nil, err
	}
	if s.Password, err = setting.Secret("password", s.Password, s.PasswordFile, true); err != nil {
		return nil, nil, err
	}
	if s.SigningKey, err = setting.Secret("signing_key", s.SigningKey, s.SigningKeyFile, false); err != nil {
		return nil, nil, err
	}
	return s, client, cmp.Or(
		s.check(),
		s.checkSIMs(),
		setting.CountryCode(s.CountryCode, &s.home),
		setting.Number("clock_skew", &s.ClockSkew, 300, 1, 86400),
		setting.CheckRange("interval", s.Interval, 0, 3600),
	)
}

func (s *settings) check() error {
	switch {
	case s.Mode != modeLocal && s.Mode != modeCloud:
		return errors.New("settings: mode must be local or cloud")
	case s.Mode == modeCloud && s.DeviceID == "":
		return errors.New("settings: device_id is needed with mode cloud: only on one and the same phone is a message that is sent again known")
	case s.DeviceID != "" && !devicePattern.MatchString(s.DeviceID):
		return errors.New("settings: device_id must be the id that the app shows")
	case s.Username == "":
		return errors.New("settings: username is needed")
	}
	return nil
}

func (s *settings) checkSIMs() error {
	if len(s.SIMs) == 0 {
		return errors.New("settings: sims must hold the phone's numbers")
	}
	for i, one := range s.SIMs {
		n, ok := phone.Parse(one.Number)
		if !ok {
			return fmt.Errorf("settings: sims[%d].number must be an E.164 number", i)
		}
		s.SIMs[i].Number = string(n)
		if one.Slot < 0 || one.Slot > maxSlot || one.Slot == 0 && len(s.SIMs) > 1 {
			return fmt.Errorf("settings: sims[%d].slot must be from 1 to 3", i)
		}
		if slices.ContainsFunc(s.SIMs[:i], func(other sim) bool { return other.Number == string(n) || other.Slot == one.Slot }) {
			return fmt.Errorf("settings: sims[%d] has the number or the slot of another", i)
		}
	}
	return nil
}

func (s *settings) reports() bool { return s.DeliveryReports == nil || *s.DeliveryReports }
