package message

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"html"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/visible"
)

// presets.json holds the texts of the presets in both languages:
// {{name}} stands for a variable, and what is between [[ and ]] is left out when a
// variable in it is missing.
//
//go:embed presets.json
var presetsJSON []byte

const (
	presetOTP     = "otp"
	maxVariable   = 120  // in characters
	maxURL        = 2048 // in characters, of the variable urlName
	defaultLocale = "fr"
	codeName      = "code" // the variable with the code in the preset otp
	urlName       = "url"  // the variable that is a URL
)

// LocaleVariable is the name of a preset's variable that selects the language: fr or en.
const LocaleVariable = "locale"

type preset struct {
	Required  []string `json:"required"`
	Optional  []string `json:"optional"`
	FR        string   `json:"fr"`
	EN        string   `json:"en"`
	SubjectFR string   `json:"subject_fr"`
	SubjectEN string   `json:"subject_en"`
}

// Presets contains the prepared texts.
type Presets map[string]preset

// LoadPresets reads the embedded presets.
func LoadPresets() (Presets, error) {
	var p Presets
	err := json.Unmarshal(presetsJSON, &p)
	return p, err
}

// Apply fills in a request's content from its preset: the text, for email also an HTML version and a subject unless
// the request has its own, and the preset's name and variables, for gateways with templates. Messages with a code
// become sensitive.
//
// Errors: invalid_preset, missing_variable, and invalid_request for a variable that is not valid text in a message.
func (p Presets) Apply(r *Request) error {
	if r.Preset == "" {
		return nil
	}
	chosen, ok := p[r.Preset]
	if !ok {
		return apierror.InvalidPreset.On("preset")
	}
	values, err := chosen.values(r.Variables)
	if err != nil {
		return err
	}
	text, subject := chosen.FR, chosen.SubjectFR
	locale := cmp.Or(r.Variables[LocaleVariable], defaultLocale)
	switch locale {
	case defaultLocale:
	case "en":
		text, subject = chosen.EN, chosen.SubjectEN
	default:
		return apierror.InvalidRequest.On("presetVariables.locale").Detailf("locale must be fr or en.")
	}
	r.Content.Text = fill(text, values)
	if r.Content.HTML == "" {
		r.Content.HTML = "<p>" + html.EscapeString(r.Content.Text) + "</p>"
	}
	if r.Content.Subject == "" {
		r.Content.Subject = fill(subject, values)
	}
	maps.DeleteFunc(values, func(_, v string) bool { return v == "" })
	r.Content.Preset, r.Content.Values, r.Content.Locale = r.Preset, values, locale
	if r.Preset == presetOTP {
		r.Sensitive, r.Content.Code = true, values[codeName]
	}
	return nil
}

// values checks and cleans the preset's variables. It ignores others.
func (p *preset) values(given map[string]string) (map[string]string, error) {
	values := map[string]string{}
	for _, name := range slices.Concat(p.Required, p.Optional) {
		v := visible.Line(given[name]) // it is part of a line
		most := maxVariable
		if name == urlName {
			most = maxURL
		}
		if utf8.RuneCountInString(v) > most {
			return nil, apierror.InvalidRequest.On("presetVariables."+name).Detailf("%s can have at most %d characters.", name, most)
		}
		if v == "" && slices.Contains(p.Required, name) {
			return nil, apierror.MissingVariable.On("presetVariables." + name)
		}
		values[name] = v
	}
	return values, nil
}

// fill inserts the values into a text. The text starts with a capital letter, unless it starts with a value, which might be a name.
func fill(text string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "[[")
		if b.Len() == 0 {
			before = capital(before)
		}
		line, _ := replace(before, values)
		b.WriteString(line)
		if !found {
			return b.String()
		}
		part, after, _ := strings.Cut(rest, "]]")
		if line, whole := replace(part, values); whole {
			b.WriteString(line)
		}
		text = after
	}
}

// capital changes the first letter of a preset's text to uppercase.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// replace replaces {{name}} with values. whole is false if a value is missing.
func replace(text string, values map[string]string) (out string, whole bool) {
	whole = true
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), whole
		}
		name, after, _ := strings.Cut(rest, "}}")
		if values[name] == "" {
			whole = false
		}
		b.WriteString(values[name])
		text = after
	}
}
