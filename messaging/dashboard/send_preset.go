package dashboard

import (
	"net/url"
	"slices"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// variablePrefix precedes the name of a preset's variable in the name of its field.
const variablePrefix = "var."

// choosePreset adds the choice of a preset, and the fields of the chosen one. The preset for one-time codes isn't offered,
// because codes have a page of their own.
func (d *Dashboard) choosePreset(lang i18n.Lang, p *sendForm, form url.Values) {
	chosen := form.Get("preset")
	p.Preset = web.Select{ID: "preset", Name: "preset", Label: lang.T("dashboard.send.preset"), Options: []web.Option{{Label: lang.T("dashboard.send.preset_none")}}}
	for _, preset := range d.o.Delivery.Presets() {
		if slices.Contains(preset.Required, "code") {
			continue
		}
		p.Preset.Options = append(p.Preset.Options, web.Option{Value: preset.Name, Label: lang.Named("dashboard.send.preset_", preset.Name), Selected: preset.Name == chosen})
		if preset.Name != chosen {
			continue
		}
		for i, name := range slices.Concat(preset.Required, preset.Optional) {
			f := web.Field{ID: "var-" + name, Name: variablePrefix + name, Label: lang.Named("dashboard.send.var_", name), Value: form.Get(variablePrefix + name), Required: i < len(preset.Required)}
			p.Variables = append(p.Variables, f)
		}
		p.ChosenPreset = chosen
		p.Locale = &web.Select{ID: "locale", Name: "locale", Label: lang.T("dashboard.send.locale")}
		for _, l := range i18n.Langs() {
			p.Locale.Options = append(p.Locale.Options, web.Option{Value: string(l), Label: l.T("dashboard.settings.language_name"), Selected: string(l) == form.Get("locale") || form.Get("locale") == "" && l == lang})
		}
	}
}

// variables returns the values of the chosen preset's variables.
func (p *sendForm) variables(form url.Values) map[string]string {
	out := map[string]string{message.LocaleVariable: form.Get("locale")}
	for _, f := range p.Variables {
		if value := strings.TrimSpace(f.Value); value != "" {
			out[strings.TrimPrefix(f.Name, variablePrefix)] = value
		}
	}
	return out
}

// variableLabel returns the label of the variable's field that an error is about, to precede its text; "" for other errors.
func (p *sendForm) variableLabel(e *apierror.Error) string {
	for i := range p.Variables {
		if "presetVariables."+strings.TrimPrefix(p.Variables[i].Name, variablePrefix) == e.Field {
			return p.Variables[i].Label + ": "
		}
	}
	return ""
}
