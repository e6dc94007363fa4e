package cloudapi

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/visible"
)

type template struct {
	Name       string      `json:"name"`
	Language   language    `json:"language"`
	Components []component `json:"components,omitempty"`
}

type language struct {
	Code string `json:"code"`
}

type component struct {
	Type       string      `json:"type"`
	SubType    string      `json:"sub_type,omitempty"`
	Index      string      `json:"index,omitempty"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Type       string `json:"type"`
	Name       string `json:"parameter_name,omitempty"`
	Text       string `json:"text,omitempty"`
	Payload    string `json:"payload,omitempty"`
	CouponCode string `json:"coupon_code,omitempty"`
	attached
}

// templateText returns a text that Meta accepts in a template: it refuses line breaks, tabs, and more than four spaces
// in a row. A text of nothing visible stays unchanged.
func templateText(s string) string { return cmp.Or(visible.Line(s), s) }

func textParameters(values ...string) []parameter {
	all := make([]parameter, len(values))
	for i, v := range values {
		all[i] = parameter{Type: "text", Text: templateText(v)}
	}
	return all
}

// setCodeTemplate sets the template for one-time codes, with the code in its body and its button. Meta sends it only to
// numbers.
func (m *message) setCodeTemplate(out *gateway.Outbound, code *codeTemplate) *gateway.Error {
	if m.Recipient != "" {
		return &gateway.Error{Class: gateway.Permanent, Code: "recipient_number_required"}
	}
	if len(out.Code) > maxCode {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	value := textParameters(out.Code)
	m.useTemplate(code.Name, language{languageOf(code.Languages, out.Locale)}, []component{
		{Type: "body", Parameters: value},
		{Type: "button", SubType: "url", Index: "0", Parameters: value},
	})
	return nil
}

// setPresetTemplate sets a preset's template with the preset's values. ok is false if a value is missing or too long
// for a template. The text is then sent unchanged.
func (m *message) setPresetTemplate(out *gateway.Outbound, t *presetTemplate) (ok bool) {
	values := make([]string, len(t.Body))
	for i, name := range t.Body {
		if values[i] = out.Values[name]; values[i] == "" || utf8.RuneCountInString(values[i]) > maxValue {
			return false
		}
	}
	var all []component
	if len(values) > 0 {
		all = []component{{Type: "body", Parameters: textParameters(values...)}}
	}
	m.useTemplate(t.Name, language{languageOf(t.Languages, out.Locale)}, all)
	return true
}

// setTemplate sets the requested template. An attachment becomes its header.
func (m *message) setTemplate(out *gateway.Outbound) *gateway.Error {
	t := out.Template
	var all []component
	switch {
	case out.Media != nil:
		p := parameter{}
		var failure *gateway.Error
		if p.Type, m.media, failure = p.attachHeader(out.Media); failure != nil {
			return failure
		}
		all = append(all, component{Type: "header", Parameters: []parameter{p}})
	case t.Header != "":
		all = append(all, component{Type: "header", Parameters: []parameter{{Type: "text", Name: t.HeaderName, Text: templateText(t.Header)}}})
	}
	body := textParameters(t.Body...)
	for _, name := range slices.Sorted(maps.Keys(t.Named)) {
		body = append(body, parameter{Type: "text", Name: name, Text: templateText(t.Named[name])})
	}
	if len(body) > 0 {
		all = append(all, component{Type: "body", Parameters: body})
	}
	for _, b := range t.Buttons {
		value := parameter{Type: "text", Text: b.Value}
		switch b.Type {
		case gateway.ButtonQuickReply:
			value = parameter{Type: "payload", Payload: b.Value}
		case gateway.ButtonCopyCode:
			value = parameter{Type: "coupon_code", CouponCode: b.Value}
		case gateway.ButtonURL:
		}
		all = append(all, component{Type: "button", SubType: string(b.Type), Index: strconv.Itoa(b.Index), Parameters: []parameter{value}})
	}
	m.useTemplate(t.Name, language{t.Language}, all)
	return nil
}

// useTemplate sets the message's type and template.
func (m *message) useTemplate(name string, in language, all []component) {
	m.Type, m.Template = "template", &template{Name: name, Language: in, Components: all}
	m.form = "template " + name
}

// codeTemplate is an approved template of the authentication category.
type codeTemplate struct {
	Name      string            `json:"name"`
	Languages map[string]string `json:"languages"` // from our locale to the template's language
}

// presetTemplate is an approved template with the content of a preset.
type presetTemplate struct {
	Name      string            `json:"name"`
	Languages map[string]string `json:"languages"`
	Body      []string          `json:"body"` // the preset's variables, in the order of the template's
}

// templates checks the templates in the settings.
func (s *settings) templates() error {
	if t := s.CodeTemplate; t != nil {
		if err := checkTemplate("code_template", t.Name, t.Languages); err != nil {
			return err
		}
	}
	for preset, t := range s.PresetTemplates {
		where := "preset_templates." + preset
		if preset == "otp" {
			return errors.New("settings: preset_templates.otp: the template for codes is code_template")
		}
		if err := checkTemplate(where, t.Name, t.Languages); err != nil {
			return err
		}
		if slices.Contains(t.Body, "") {
			return fmt.Errorf("settings: %s.body names variables of the preset", where)
		}
	}
	return nil
}

func checkTemplate(where, name string, languages map[string]string) error {
	if name == "" || len(languages) == 0 {
		return fmt.Errorf("settings: %s needs a name and languages", where)
	}
	for locale, language := range languages {
		if locale == "" || language == "" {
			return fmt.Errorf("settings: %s.languages maps fr and en to languages of the template", where)
		}
	}
	return nil
}

// languageOf returns a template's language for a locale; French is the fallback.
func languageOf(languages map[string]string, locale string) string {
	for _, l := range []string{locale, "fr"} {
		if language := languages[l]; language != "" {
			return language
		}
	}
	return slices.Min(slices.Collect(maps.Values(languages)))
}
