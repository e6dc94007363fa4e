package operator

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/verb"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/web"
)

// gatewayKinds returns the kinds of gateways that have a form.
func (v *visit) gatewayKinds() ([]messagingverbs.GatewayKind, error) {
	return ask[[]messagingverbs.GatewayKind](v, "gateways.kinds", messagingverbs.Nothing{})
}

// showKinds shows links to the forms of the kinds of gateways.
func (v *visit) showKinds(f *form) error {
	all, err := v.gatewayKinds()
	if err != nil {
		return err
	}
	page := web.OperatorForm{Title: v.actionLabel(f.verb), Text: v.lang.T("operator.settings.kinds"), Above: v.lang.T(f.resource.title), AboveURL: f.resource.path()}
	for _, channel := range []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email, ""} {
		group := web.OperatorChoices{ID: "of-" + cmp.Or(string(channel), "any"), Title: v.lang.T("setting.channel." + cmp.Or(string(channel), "any"))}
		for i := range all {
			if k := &all[i]; k.Channel == channel {
				group.Choices = append(group.Choices, web.OperatorChoice{
					URL: httpx.WithQuery(formsPath+f.verb, url.Values{"kind": {k.Name}}), Label: v.lang.T("setting.kind." + k.Name),
					Needs: v.needs(f.verb, k), Price: v.lang.T("setting.price." + string(k.Price)),
				})
			}
		}
		slices.SortFunc(group.Choices, func(a, b web.OperatorChoice) int { return cmp.Compare(a.Label, b.Label) })
		page.Choices = append(page.Choices, group)
	}
	return v.show(web.PageOperatorForm, page)
}

// needs lists the main settings of a kind of gateway: the required ones, and those that most gateways set.
func (v *visit) needs(name string, k *messagingverbs.GatewayKind) string {
	var labels []string
	for i := range k.Settings {
		s := &k.Settings[i]
		if s.Need != "" && (s.Type == "" || s.Type == "secret") && len(s.OneOf) == 0 {
			field := settingField(s)
			labels = append(labels, v.fieldLabel(name, &field))
		}
	}
	return v.lang.T("operator.settings.needs", strings.Join(labels, ", "))
}

// askSettings adds the settings of a kind of gateway to a form: of the kind in the URL, or of the stored gateway that the
// form changes. The field with all settings as text comes first, so that a single setting overrides the text.
func (v *visit) askSettings(f *form) error {
	at := slices.IndexFunc(f.fields, func(one verb.Field) bool { return one.Kind == verb.Settings })
	if at < 0 {
		return nil
	}
	name := f.query.Get("kind")
	if !f.isNew() {
		stored, err := ask[messagingverbs.StoredSettings](v, "gateways.settings", messagingverbs.ByName{Name: f.query.Get(f.resource.param)})
		if err != nil {
			return err
		}
		if name = stored.Form; name != "" {
			f.stored = &stored
		}
	}
	if name == "" {
		return nil
	}
	all, err := v.gatewayKinds()
	if err != nil {
		return err
	}
	f.kind, f.preset, _ = strings.Cut(name, ".")
	f.fields[at].More, f.fields[at].Required = true, false
	for _, k := range all {
		for i := range k.Settings {
			if k.Name == name {
				f.fields = append(f.fields, settingField(&k.Settings[i]))
			}
		}
	}
	return nil
}

// storedSetting returns the stored value of a setting in the format of a form; empty if the form doesn't show it.
func (f *form) storedSetting(field *verb.Field) string {
	if f.stored == nil || !isSetting(field) {
		return ""
	}
	return f.stored.Shown[settingName(field)]
}

// keptHint returns the hint of a field that can stay empty because the server has its value; empty if it hasn't.
func (v *visit) keptHint(f *form, field *verb.Field) string {
	switch {
	case field.Secret && f.held.Get(inputName(field)) != "":
		return v.lang.T("operator.settings.entered")
	case f.stored == nil:
	case isSetting(field) && slices.Contains(f.stored.Hidden, settingName(field)):
		return v.lang.T("operator.settings.kept")
	case field.Kind == verb.Settings && len(f.stored.Others) > 0:
		return v.lang.T("operator.settings.others", strings.Join(f.stored.Others, ", "))
	}
	return ""
}

// heldField is the name of the form field that names the secrets that the server holds.
const heldField = "held"

// takeHeld puts the secrets that the server holds for a form into the form's empty fields.
func (v *visit) takeHeld(f *form, typed url.Values) {
	held := v.pages.sessions.held(v.token, f.address()+" "+typed.Get(heldField))
	for i := range f.fields {
		name := inputName(&f.fields[i])
		if f.fields[i].Secret && strings.TrimSpace(typed.Get(name)) == "" && held.Get(name) != "" {
			typed.Set(name, held.Get(name))
		}
	}
}

// hold keeps the typed secrets of a form that is shown again, so that no one has to type them again and no page contains
// them. It returns their name; empty if there are none.
func (v *visit) hold(f *form, typed url.Values) string {
	f.held = url.Values{}
	for i := range f.fields {
		if name := inputName(&f.fields[i]); f.fields[i].Secret && typed.Get(name) != "" {
			f.held.Set(name, typed.Get(name))
		}
	}
	if len(f.held) == 0 {
		return ""
	}
	name := id.Random()
	v.pages.sessions.hold(v.token, f.address()+" "+name, f.held)
	return name
}

// address identifies a form.
func (f *form) address() string { return httpx.WithQuery(formsPath+f.verb, f.query) }

// settingField returns the form field of a setting.
func settingField(s *messagingverbs.GatewaySetting) verb.Field {
	f := verb.Field{Path: append([]string{"settings"}, strings.Split(s.Name, ".")...), OneOf: s.OneOf, Required: s.Need == "required", More: s.Need == "", Secret: s.Type == "secret"}
	switch s.Type {
	case "number":
		f.Kind = verb.Number
	case "list":
		f.Kind = verb.List
	case "off", "on":
		f.Kind, f.Default = verb.Bool, map[string]string{"off": "false", "on": "true"}[s.Type]
	}
	if len(s.OneOf) > 0 {
		f.Default = s.OneOf[0]
	}
	return f
}

// isSetting reports whether a field is a single setting of a gateway.
func isSetting(f *verb.Field) bool { return len(f.Path) > 1 && f.Path[0] == "settings" }

func settingName(f *verb.Field) string { return strings.Join(f.Path[1:], ".") }

// putKind completes the settings of an input. Those of a new gateway get the preset in the form's URL, and lists instead
// of objects with an entry "0".
func (f *form) putKind(in map[string]any) {
	settings, _ := in["settings"].(map[string]any)
	if settings == nil {
		settings = map[string]any{}
	}
	if f.stored != nil { // the verb merges them
		in["form"], in["settings"] = f.stored.Form, settings
		return
	}
	if in["kind"] != nil {
		in["kind"] = f.kind
	}
	if f.preset != "" {
		settings["preset"] = f.preset
	}
	for name, value := range settings {
		if list, ok := value.(map[string]any); ok && list["0"] != nil {
			settings[name] = []any{list["0"]}
		}
	}
	in["settings"] = settings
}

// trial returns the input of the verb that tests the settings of an input.
func (f *form) trial(in map[string]any) map[string]any {
	out := map[string]any{"name": in["name"], "kind": f.kind, "settings": in["settings"]}
	if f.stored != nil {
		out["form"] = f.stored.Form
	}
	return out
}

// showTried shows a form again with the result of its test. The result of a passed test is below the form, so that
// it covers no button.
func (v *visit) showTried(f *form, typed url.Values, done *outcome) error {
	_, test := v.pages.action("gateways.test", nil)
	told := v.flash(&form{action: test}, done)
	if told.text != "" {
		f.passed, told.text = told.text+" "+v.lang.T("operator.settings.not_stored"), ""
	}
	v.pages.sessions.leave(v.token, told)
	return v.showAgain(http.StatusOK, f, typed, "")
}

var settingInText = regexp.MustCompile(`settings: ([a-z0-9_.]+)`)

// wrongSetting returns the input name of the setting in a driver's refusal; empty if it names none.
func wrongSetting(refusal string) string {
	if found := settingInText.FindStringSubmatch(strings.ReplaceAll(refusal, "[0]", ".0")); found != nil {
		return "settings." + found[1]
	}
	return ""
}
