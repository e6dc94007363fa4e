package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/internal/forms"
	"example.com/griot/internal/verb"
)

// StoredSettings is the part of a stored gateway's settings that a form shows. It contains no secrets.
type StoredSettings struct {
	Name    string            `json:"name" row:"gateway"`
	Form    string            `json:"form"`    // name of the [GatewayKind] with the form; empty: the kind has none
	Version string            `json:"version"` // of the settings
	Shown   map[string]string `json:"shown"`   // values in the format of a form, by the name of the setting; lists have a line per element
	Hidden  []string          `json:"hidden"`  // settings of the form whose values are secret
	Others  []string          `json:"others"`  // first part of the names of settings that the form doesn't have
}

// storedSettings returns the settings of a stored gateway for a form.
func (h *service) storedSettings(ctx context.Context, in *ByName) (StoredSettings, error) {
	kind, version, raw, err := h.Gateways.Stored(ctx, in.Name)
	if err != nil {
		return StoredSettings{}, err
	}
	settings, err := parsedSettings(raw)
	if err != nil {
		return StoredSettings{}, err
	}
	form, fields, err := formOf(kind, settings)
	out := StoredSettings{Name: in.Name, Form: form, Version: version, Shown: shownSettings(fields, settings), Hidden: []string{}, Others: []string{}}
	for i := range fields {
		name := fields[i].Name
		if _, shown := out.Shown[name]; !shown && (valueAt(settings, name) != nil || fields[i].Type == "secret" && valueAt(settings, name+fileSuffix) != nil) {
			out.Hidden = append(out.Hidden, name)
		}
		remove(settings, strings.Split(name, "."))
	}
	if strings.Contains(form, ".") {
		delete(settings, "preset") // the form's name has it
	}
	for name := range settings {
		out.Others = append(out.Others, name)
	}
	slices.Sort(out.Others)
	return out, err
}

// fileSuffix ends the name of a setting with the path of a file that contains a secret.
const fileSuffix = "_file"

// formOf returns the form for the settings of a gateway. name is empty if there is none.
func formOf(kind string, settings map[string]any) (name string, fields []GatewaySetting, err error) {
	forms, err := allForms()
	if err != nil {
		return "", nil, err
	}
	if preset, ok := settings["preset"].(string); ok && forms[kind+"."+preset] != nil {
		kind += "." + preset
	}
	if forms[kind] == nil {
		return "", nil, nil
	}
	return kind, forms[kind], nil
}

// shownSettings returns the values that a form shows, by the name of the setting. It leaves out secrets, and values that
// the setting's field can't have.
func shownSettings(fields []GatewaySetting, settings map[string]any) map[string]string {
	out := map[string]string{}
	for i := range fields {
		if text, ok := fields[i].text(valueAt(settings, fields[i].Name)); ok {
			out[fields[i].Name] = text
		}
	}
	return out
}

// text returns a value in the format of a form; false if the form doesn't show it.
func (s *GatewaySetting) text(value any) (text string, ok bool) {
	switch value := value.(type) {
	case json.Number:
		return value.String(), s.Type == "number"
	case bool:
		return strconv.FormatBool(value), s.Type == "on" || s.Type == "off"
	case []any:
		var lines []string
		for _, one := range value {
			line, ok := one.(string)
			if !ok || strings.ContainsAny(line, "\r\n") {
				return "", false
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n"), s.Type == "list" && len(lines) > 0
	case string:
		shown := s.Type == "" && (len(s.OneOf) == 0 || slices.Contains(s.OneOf, value)) && value != "" && value == strings.TrimSpace(value)
		return value, shown && !strings.ContainsAny(value, "\r\n") && !hasSecret(value)
	}
	return "", false
}

// hasSecret reports whether a text might be an address with a password or a key.
func hasSecret(text string) bool {
	u, err := url.Parse(text)
	return strings.Contains(text, "://") && (err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "")
}

// mergeSettings returns a gateway's settings after a form was saved. The form replaces the values that it showed, and
// its empty fields remove them. Values that it didn't show stay unless the form has another value or null.
func mergeSettings(form, kind string, stored, typed json.RawMessage) (json.RawMessage, error) {
	settings, err := parsedSettings(stored)
	if err != nil {
		return nil, err
	}
	changes, err := parsedSettings(typed)
	if err != nil {
		return nil, verb.Refuse("The settings can't be read.")
	}
	name, fields, err := formOf(kind, settings)
	if err != nil {
		return nil, err
	}
	if name != form { // the settings have changed since the form was shown
		return nil, forms.ErrStale
	}
	for name := range shownSettings(fields, settings) {
		remove(settings, strings.Split(name, "."))
	}
	for i := range fields {
		if fields[i].Type == "secret" && valueAt(changes, fields[i].Name) != nil { // it replaces the secret in a file
			remove(settings, strings.Split(fields[i].Name+fileSuffix, "."))
		}
	}
	merged, _ := merge(settings, changes).(map[string]any)
	for name, value := range merged {
		if list, ok := value.([]any); ok {
			list = slices.DeleteFunc(list, func(one any) bool { m, ok := one.(map[string]any); return ok && len(m) == 0 })
			if merged[name] = list; len(list) == 0 {
				delete(merged, name)
			}
		}
	}
	return json.Marshal(merged)
}

// parsedSettings returns settings with exact numbers; no settings are an empty object.
func parsedSettings(raw json.RawMessage) (settings map[string]any, err error) {
	if len(raw) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		err = d.Decode(&settings)
	}
	if settings == nil {
		settings = map[string]any{}
	}
	return settings, err
}

// valueAt returns the value of a setting; nil if it isn't set. The first element of a list has the name "0".
func valueAt(settings any, name string) any {
	for part := range strings.SplitSeq(name, ".") {
		switch at := settings.(type) {
		case map[string]any:
			settings = at[part]
		case []any:
			if settings = nil; part == "0" && len(at) > 0 {
				settings = at[0]
			}
		default:
			return nil
		}
	}
	return settings
}

// remove removes a setting, and the objects that become empty. It keeps the positions in lists.
func remove(settings any, path []string) (empty bool) {
	switch at := settings.(type) {
	case map[string]any:
		if len(path) == 1 || at[path[0]] != nil && remove(at[path[0]], path[1:]) {
			delete(at, path[0])
		}
		return len(at) == 0
	case []any:
		if path[0] == "0" && len(at) > 0 && len(path) > 1 {
			remove(at[0], path[1:])
		}
		return !slices.ContainsFunc(at, func(one any) bool { m, ok := one.(map[string]any); return !ok || len(m) > 0 })
	}
	return false
}

// merge applies a JSON merge patch (RFC 7396), with one addition: an object with the field "0" changes the first element
// of a list.
func merge(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	if first, ok := changes["0"]; ok {
		list, _ := value.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = merge(list[0], first)
		return list
	}
	out, _ := value.(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(out, name)
		} else {
			out[name] = merge(out[name], change)
		}
	}
	return out
}
