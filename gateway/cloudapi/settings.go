package cloudapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/phone"
)

type settings struct {
	httpcall.APISettings
	APIVersion      string                     `json:"api_version"`
	AccessToken     string                     `json:"access_token"`
	AccessTokenFile string                     `json:"access_token_file"`
	AppSecret       string                     `json:"app_secret"`
	AppSecretFile   string                     `json:"app_secret_file"`
	VerifyToken     string                     `json:"verify_token"`
	VerifyTokenFile string                     `json:"verify_token_file"`
	Portfolio       string                     `json:"portfolio"` // the scope of people's IDs; empty: the WhatsApp Business Account
	PhoneNumbers    []number                   `json:"phone_numbers"`
	CodeTemplate    *codeTemplate              `json:"code_template"`
	PresetTemplates map[string]*presetTemplate `json:"preset_templates"` // by the preset's name

	byNumber    map[string]string // E.164 digits -> phone number id
	byID        map[string]string
	coexistence map[string]bool // by E.164 digits
}

type number struct {
	ID          string `json:"id"`
	Number      string `json:"number"`
	Coexistence bool   `json:"coexistence"` // the number is also used with the WhatsApp Business app
}

// parse reads the settings and sets defaults. Its errors contain the names of fields, never their values.
func parse(raw json.RawMessage) (s settings, client *httpcall.Client, err error) {
	if err = setting.Parse(raw, &s); err != nil {
		return s, nil, err
	}
	s.APIVersion = cmp.Or(s.APIVersion, defaultVersion)
	client, err = s.Client("https://graph.facebook.com", 32)
	err = errors.Join(err, s.secrets(), s.numbers(), s.templates(), setting.Portfolio(s.Portfolio))
	return s, client, err
}

func (s *settings) secrets() (err error) {
	if s.AccessToken, err = setting.Secret("access_token", s.AccessToken, s.AccessTokenFile, true); err != nil {
		return err
	}
	if s.AppSecret, err = setting.Secret("app_secret", s.AppSecret, s.AppSecretFile, false); err != nil {
		return err
	}
	if s.VerifyToken, err = setting.Secret("verify_token", s.VerifyToken, s.VerifyTokenFile, false); err != nil {
		return err
	}
	if (s.AppSecret == "") != (s.VerifyToken == "") {
		return errors.New("settings: app_secret and verify_token go together: webhooks need both")
	}
	return nil
}

func (s *settings) numbers() error {
	if !regexp.MustCompile(`\Av[0-9]{1,3}\.[0-9]{1,2}\z`).MatchString(s.APIVersion) {
		return errors.New("settings: api_version must be like v23.0")
	}
	if len(s.PhoneNumbers) == 0 {
		return errors.New("settings: phone_numbers is empty")
	}
	s.byNumber, s.byID, s.coexistence = map[string]string{}, map[string]string{}, map[string]bool{}
	for i, n := range s.PhoneNumbers {
		parsed, ok := phone.Parse(n.Number)
		if !ok || !regexp.MustCompile(`\A[0-9]{1,32}\z`).MatchString(n.ID) {
			return fmt.Errorf("settings: phone_numbers[%d] needs an id of digits and an E.164 number", i)
		}
		if s.byNumber[string(parsed)] != "" || s.byID[n.ID] != "" {
			return fmt.Errorf("settings: phone_numbers[%d] is there twice", i)
		}
		s.byNumber[string(parsed)], s.byID[n.ID], s.coexistence[string(parsed)] = n.ID, string(parsed), n.Coexistence
	}
	return nil
}
