package operator

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/httpx"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

// gatewayKinds returns the kinds of gateways that have a form.
func (v *visit) gatewayKinds() ([]messagingadmin.GatewayKind, error) {
	return verb[[]messagingadmin.GatewayKind](v, "gateways.kinds", messagingadmin.Nothing{})
}

// showKinds shows links to the forms of the kinds of gateways.
func (v *visit) showKinds(f *form) error {
	all, err := v.gatewayKinds()
	if err != nil {
		return err
	}
	page := web.OperatorForm{Title: v.actionLabel(f.verb), Text: v.lang.T("operator.settings.kinds"), Above: v.lang.T(f.resource.title), AboveURL: f.resource.path()}
	for _, k := range all {
		page.Choices = append(page.Choices, web.Tab{URL: httpx.WithQuery(formsPath+f.verb, url.Values{"kind": {k.Name}}), Label: v.lang.T("setting.kind." + k.Name)})
	}
	slices.SortFunc(page.Choices, func(a, b web.Tab) int { return cmp.Compare(a.Label, b.Label) })
	return v.show(web.PageOperatorForm, page)
}

// askSettings adds the settings of the kind of gateway in the URL to a form. The field with all settings as text comes
// first, so that a single setting overrides the text.
func (v *visit) askSettings(f *form) error {
	at := slices.IndexFunc(f.fields, func(one admin.Field) bool { return one.Kind == admin.Settings })
	if at < 0 || !f.query.Has("kind") {
		return nil
	}
	all, err := v.gatewayKinds()
	if err != nil {
		return err
	}
	f.kind, f.preset, _ = strings.Cut(f.query.Get("kind"), ".")
	f.fields[at].More, f.fields[at].Required = true, false
	for _, k := range all {
		for i := range k.Settings {
			if k.Name == f.query.Get("kind") {
				f.fields = append(f.fields, settingField(&k.Settings[i]))
			}
		}
	}
	return nil
}

// settingField returns the form field of a setting.
func settingField(s *messagingadmin.GatewaySetting) admin.Field {
	f := admin.Field{Path: append([]string{"settings"}, strings.Split(s.Name, ".")...), OneOf: s.OneOf, Required: s.Need == "required", More: s.Need == "", Secret: s.Type == "secret"}
	switch s.Type {
	case "number":
		f.Kind = admin.Number
	case "list":
		f.Kind = admin.List
	case "off", "on":
		f.Kind, f.Default = admin.Bool, map[string]string{"off": "false", "on": "true"}[s.Type]
	}
	if len(s.OneOf) > 0 {
		f.Default = s.OneOf[0]
	}
	return f
}

// isSetting reports whether a field is a single setting of a gateway.
func isSetting(f *admin.Field) bool { return len(f.Path) > 1 && f.Path[0] == "settings" }

func settingName(f *admin.Field) string { return strings.Join(f.Path[1:], ".") }

// putKind completes the settings of an input with the preset in the form's URL, and converts objects with an entry "0"
// to lists.
func (f *form) putKind(in map[string]any) {
	settings, _ := in["settings"].(map[string]any)
	if settings == nil {
		settings = map[string]any{}
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
