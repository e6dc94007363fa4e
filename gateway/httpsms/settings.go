package httpsms

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/phone"
)

type settings struct {
	httpgate.Settings
	Coding  coding   `json:"coding"`
	Inbound *inbound `json:"inbound"`

	Transliterate bool   `json:"transliterate"`
	MaxTTL        int    `json:"max_ttl"`      // in seconds; 0: no limit
	MaxSegments   int    `json:"max_segments"` // of a text; longer texts are refused; 0: no limit
	CountryCode   string `json:"country_code"`

	home phone.Region // of CountryCode
}

// coding has the gateway's names of the two alphabets.
type coding struct {
	GSM  string `json:"gsm"`
	UCS2 string `json:"ucs2"`
}

// inbound configures inbound messages.
type inbound struct {
	httpgate.WebhookSettings
	To string `json:"to"` // our number, if the gateway does not send it
}

// webhook returns the settings that all kinds of webhooks share, or nil without inbound.
func (i *inbound) webhook() *httpgate.WebhookSettings {
	if i == nil {
		return nil
	}
	return &i.WebhookSettings
}

//go:embed presets/*.json
var presetFiles embed.FS

// merge merges the settings into their preset.
func merge(raw json.RawMessage) (*settings, error) {
	return httpgate.Merge(raw, presetFiles, func(s *settings) *httpgate.Settings { return &s.Settings })
}

// check checks the settings that are specific to SMS.
func (s *settings) check(g *httpgate.Gateway) error {
	if err := cmp.Or(setting.CountryCode(s.CountryCode, &s.home), setting.CheckRange("max_ttl", s.MaxTTL, 0, 30*24*3600), setting.CheckRange("max_segments", s.MaxSegments, 0, maxParts)); err != nil {
		return err
	}
	switch {
	case g.Uses("coding") && (s.Coding.GSM == "" || s.Coding.UCS2 == ""):
		return errors.New("settings: {{coding}} needs coding.gsm and coding.ucs2")
	case g.Uses("text_hex") && !g.Uses("coding"):
		return errors.New("settings: {{text_hex}} means nothing without {{coding}}")
	case s.Inbound.webhook().Enabled():
		return s.Inbound.check(s.home)
	}
	return nil
}

func inboundFields() []string {
	return []string{"id", "from", "to", "text", "hex", "coding", "charset", "at", "name", "part", "parts", "part_ref"}
}

func (i *inbound) check(home phone.Region) error {
	if i.Fields["from"] == "" || i.Fields["text"] == "" && i.Fields["hex"] == "" {
		return errors.New("settings: inbound: fields must say where from and text are")
	}
	if (i.Fields["hex"] != "") != (i.Fields["coding"] != "") {
		return errors.New("settings: inbound: fields hex and coding go together")
	}
	if (i.Fields["part"] != "") != (i.Fields["parts"] != "") || (i.Fields["part"] != "") != (i.Fields["part_ref"] != "") {
		return errors.New("settings: inbound: fields part, parts, and part_ref go together")
	}
	if i.To != "" {
		if i.To = gateway.ReceiverOf(home, i.To, phone.FormUnknown); i.To == "" {
			return errors.New("settings: inbound: to must be an E.164 number, or a code of 3 to 7 digits")
		}
	} else if i.Fields["to"] == "" {
		return errors.New("settings: inbound: either fields say where our number is, or to says which it is")
	}
	return nil
}
