package operator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/web"
)

// text returns a text of the table of verbs: the one in the catalog, or otherwise the English one in the table.
func (v *visit) text(key, english string) string {
	if key = "table." + textKey(key); v.lang.Has(key) {
		return v.lang.T(key)
	}
	return english
}

// textKey derives a text key from a name in the table.
func textKey(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_", "/", "_", "'", "").Replace(strings.ToLower(name))
}

func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// actionText returns a text of an action: its own, or the one shared by all actions with the same last word.
func (v *visit) actionText(kind, name, english string) string {
	return v.text(kind+"."+name, v.text(kind+"."+lastWord(name), english))
}

func lastWord(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// description returns the description of a verb.
func (v *visit) description(verbName, name string) string {
	return v.actionText("verb", name, v.pages.o.Verbs().Find(verbName).Help) + "."
}

// actionLabel returns the text of an action's button.
func (v *visit) actionLabel(name string) string {
	return v.actionText("action", name, capitalized(strings.ReplaceAll(lastWord(name), "-", " ")))
}

// formTitle returns the title of an action's form for a record.
func (v *visit) formTitle(name, record string) string {
	if key := "form.title." + textKey(name); record != "" && v.lang.Has(key) {
		return v.lang.T(key, record)
	}
	return strings.TrimSpace(v.actionLabel(name) + " " + record)
}

// columnLabel returns the text of a column, or of a line of a record.
func (v *visit) columnLabel(name string) string {
	return v.text("column."+name, capitalized(strings.ToLower(name)))
}

// fieldLabel returns the text of a field. A text for one verb's field takes precedence over a shared one.
func (v *visit) fieldLabel(name string, f *verb.Field) string {
	if isSetting(f) {
		return v.lang.T("setting.label." + settingName(f))
	}
	english := capitalized(strings.ReplaceAll(cmp.Or(f.Flag, f.Name()), "-", " "))
	return v.text("field."+name+"."+f.Name(), v.text("field."+f.Name(), english))
}

// fieldHint returns the hint of a field; it can be empty.
func (v *visit) fieldHint(name string, f *verb.Field) string {
	if isSetting(f) {
		if key := "setting.hint." + settingName(f); v.lang.Has(key) {
			return v.lang.T(key)
		}
		return ""
	}
	english := f.Help
	switch f.Kind { //nolint:exhaustive // the others are explained by their help
	case verb.Settings:
		if english = v.lang.T("operator.form.settings"); f.More {
			return v.lang.T("operator.settings.other")
		}
	case verb.List:
		english = v.lang.T("operator.form.list")
	}
	hint := capitalized(v.text("hint."+name+"."+f.Name(), v.text("hint."+f.Name(), english)))
	if hint != "" && !strings.HasSuffix(hint, ".") {
		hint += "."
	}
	return hint
}

// done returns the confirmation of an action.
func (v *visit) done(name string) string {
	return v.actionText("done", name, v.lang.T("operator.done"))
}

// sharedTexts has, for each column, the prefixes of keys under which other pages have texts for its values.
var sharedTexts = map[string][]string{"kind": {"setting.kind.", "dashboard.keys.kind_"}, "role": {"dashboard.role_"}, "state": {"dashboard.senders.state_"}, "status": {"dashboard.status_"}}

// valueText returns the text for a value that programs set, or for an empty value. A value without a text is returned unchanged.
func (v *visit) valueText(column, value string) string {
	switch value {
	case "true":
		return v.lang.T("operator.yes")
	case "false":
		return v.lang.T("operator.no")
	case "":
		return v.text("value."+column+".none", "")
	}
	shown := value
	for _, beginning := range sharedTexts[strings.ToLower(column)] {
		shown = v.lang.Named(beginning, shown)
	}
	return v.text("value."+column+"."+value, shown)
}

// senderText writes a sender of a gateway, such as "sms +22376000001 (connected)", as people read it.
func (v *visit) senderText(text string) string {
	channel, rest, _ := strings.Cut(text, " ")
	address, state, stated := strings.Cut(rest, " (")
	if text = v.valueText("channel", channel) + " " + phone.Grouped(address); stated {
		text += " (" + v.valueText("state", strings.TrimSuffix(state, ")")) + ")"
	}
	return text
}

// cell returns the visible value of a field. A key of a resource links to its page.
func (v *visit) cell(of *resource, column string, value any) web.OperatorCell {
	if at, ok := value.(time.Time); ok {
		return web.OperatorCell{At: at}
	}
	text := fmt.Sprint(value)
	shown := v.valueText(column, text)
	switch strings.ToLower(column) {
	case "actor": // perhaps with the name of a gateway
		kind, name, _ := strings.Cut(text, ":")
		shown = strings.TrimSpace(v.valueText(column, kind) + " " + name)
	case "channels":
		shown = strings.Join(verb.Each(strings.Fields(text), func(one *string) string { return v.valueText("channel", *one) }), ", ")
	case "warm-up":
		var first, days int
		var from string
		if n, _ := fmt.Sscanf(text, "%d, doubled for %d days, from %s", &first, &days, &from); n == 3 {
			shown = v.lang.T("operator.senders.warm_up", first, days, from)
		}
	case "address", "target":
		shown = phone.Grouped(shown)
	case "messages/day", "requests/second", "recipient cap", "sent today":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			shown = v.lang.Number(n)
		}
	}
	return web.OperatorCell{Text: shown, URL: v.pages.pageOf(of, column, text)}
}

// pageOf returns the URL of the page for a key in a column, unless it is the resource's own; empty: none.
func (p *Pages) pageOf(of *resource, column, key string) string {
	for _, r := range p.resources {
		if key != "" && r != of && slices.ContainsFunc(r.columns, func(name string) bool { return strings.EqualFold(name, column) }) {
			return r.at(key)
		}
	}
	return ""
}

// targetPage returns the URL of the page of an audit event's target. It is empty if there is none, or if the event
// shows that the target was deleted.
func (p *Pages) targetPage(action, target string) string {
	kind, what, _ := strings.Cut(action, ".")
	if what == "removed" || what == "erased" {
		return ""
	}
	return p.pageOf(nil, kind, target)
}

// badge returns the state of a record, or nil.
func (v *visit) badge(r *resource, record map[string]any) *web.Badge {
	s := r.state(record, v.pages.o.Now())
	if s == nil {
		return nil
	}
	return &web.Badge{Text: v.lang.T(s.text), Tone: s.tone}
}
