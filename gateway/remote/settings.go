package remote

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
)

type settings struct {
	httpcall.ServerSettings
	Keys          []keySetting      `json:"keys"`
	Channels      []gateway.Channel `json:"channels"`
	Portfolio     string            `json:"portfolio"`     // the scope of WhatsApp IDs; empty: the gateway
	Transliterate bool              `json:"transliterate"` // for SMS
	Connections   int               `json:"connections"`
	InfoInterval  int               `json:"info_interval"` // in seconds

	keys []Key
}

type keySetting struct {
	ID         string `json:"id"`
	Secret     string `json:"secret"`
	SecretFile string `json:"secret_file"`
}

// minSecret is the minimum length of a secret.
const minSecret = 32

// parse reads the settings and their files, and sets defaults.
func parse(raw json.RawMessage) (s *settings, client *httpcall.Client, err error) {
	s = &settings{}
	if err = setting.Parse(raw, s); err != nil {
		return nil, nil, err
	}
	if err = setting.Number("connections", &s.Connections, 32, 1, 1000); err != nil {
		return nil, nil, err
	}
	if client, err = s.Client(httpcall.Options{Connections: s.Connections, MaxAnswer: maxAnswer}); err != nil {
		return nil, nil, err
	}
	return s, client, cmp.Or(s.checkChannels(), setting.Portfolio(s.Portfolio), s.readKeys(), setting.Number("info_interval", &s.InfoInterval, 30, 1, 3600))
}

func (s *settings) checkChannels() error {
	if len(s.Channels) == 0 {
		return errors.New("settings: channels must name what the gateway carries: whatsapp, sms, email")
	}
	for i, c := range s.Channels {
		if !slices.Contains([]gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}, c) || slices.Contains(s.Channels[:i], c) {
			return errors.New("settings: channels can be whatsapp, sms, and email, each once")
		}
	}
	return nil
}

var keyIDPattern = regexp.MustCompile(`\A[A-Za-z0-9._-]{1,64}\z`)

// readKeys reads the keys. The first signs requests, and all are accepted.
func (s *settings) readKeys() error {
	for i, k := range s.Keys {
		name := fmt.Sprintf("keys[%d].secret", i)
		secret, err := setting.Secret(name, k.Secret, k.SecretFile, true)
		if err != nil {
			return err
		}
		if len(secret) < minSecret {
			return fmt.Errorf("settings: %s must have at least %d characters", name, minSecret)
		}
		if !keyIDPattern.MatchString(k.ID) {
			return fmt.Errorf("settings: keys[%d].id must be 1 to 64 letters, digits, points, dashes, or underscores", i)
		}
		if slices.ContainsFunc(s.keys, func(other Key) bool { return other.ID == k.ID }) {
			return fmt.Errorf("settings: keys[%d].id must be different from the others", i)
		}
		s.keys = append(s.keys, Key{ID: k.ID, Secret: secret})
	}
	if len(s.keys) == 0 {
		return errors.New("settings: keys must hold at least one id and secret")
	}
	return nil
}
