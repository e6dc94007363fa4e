package operator

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/verb"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/web"
)

// onceField is the name of the field that makes a form act only once, however often it is sent. langField is the name of
// the field for the page's language.
const (
	onceField = "idempotencyKey"
	langField = "textLang"
)

// formsPath is the prefix of the paths of the verbs' forms.
const formsPath = Home + "/do/"

// resourceRoutes returns the routes of the pages of lists and records, and of the forms of actions.
func (p *Pages) resourceRoutes() (routes []httpx.Route) {
	for _, r := range p.resources {
		routes = append(routes, httpx.Route{Method: "GET", Path: r.path(), Handler: p.page(func(v *visit) error { return v.showList(r) })})
		if r.key != "" {
			routes = append(routes, httpx.Route{Method: "GET", Path: r.path() + "/{key}", Handler: p.page(func(v *visit) error { return v.showRecord(r) })})
		}
	}
	for _, name := range p.formVerbs() {
		routes = append(routes,
			httpx.Route{Method: "GET", Path: formsPath + name, Handler: p.page(func(v *visit) error { return v.openForm(name) })},
			httpx.Route{Method: "POST", Path: formsPath + name, Handler: p.form(func(v *visit) error { return v.submit(name) })},
		)
	}
	return routes
}

// formVerbs returns the verbs that have a form or a button.
func (p *Pages) formVerbs() (verbs []string) {
	for _, r := range p.withSections() {
		if r.create != "" {
			verbs = append(verbs, r.create)
		}
		for i := range r.actions {
			verbs = append(verbs, r.actions[i].verb)
		}
	}
	slices.Sort(verbs)
	return slices.Compact(verbs)
}

// form is a verb that is about to run, for the record in its URL.
type form struct {
	*action

	resource *resource
	query    url.Values
	fields   []verb.Field // the fields of the form
	record   *record      // as it is stored; without fields if there is none yet

	kind, preset string // of the gateway whose settings the form shows; empty: none
	passed       string // result of a passed test of the settings; empty: none

	stored *messagingverbs.StoredSettings // that the form changes; nil: none
	held   url.Values                     // secrets that were typed before, which the server holds
}

// readForm returns the form of a request's URL. It doesn't read its record.
func (v *visit) readForm(name string) (*form, error) {
	query := v.r.URL.Query()
	r, a := v.pages.action(name, query)
	if a == nil {
		return nil, kinds.NotFound.Err()
	}
	f := &form{action: a, resource: r, query: query, fields: v.askedFields(name, query), record: &record{}}
	return f, v.askSettings(f)
}

// isNew reports whether the form creates a record.
func (f *form) isNew() bool { return f.verb == f.resource.create }

// askedFields returns the fields of a verb's form: those for people that its URL doesn't set.
func (v *visit) askedFields(name string, given url.Values) (fields []verb.Field) {
	for _, f := range v.pages.o.Verbs().Find(name).In {
		if (f.Flag != "" || f.Arg != "") && !f.NoForm && !given.Has(inputName(&f)) {
			fields = append(fields, f)
		}
	}
	return fields
}

func inputName(f *verb.Field) string { return strings.Join(f.Path, ".") }

func (v *visit) isConfirmed(a *action) bool {
	return a.confirm || v.pages.o.Verbs().Find(a.verb).Danger == verb.Deletes
}

// isDirect reports whether an action has no fields to fill in, so that its button executes it.
func (v *visit) isDirect(a *action, given url.Values) bool {
	return !v.isConfirmed(a) && len(v.askedFields(a.verb, given)) == 0
}

// openForm shows a form for the first time.
func (v *visit) openForm(name string) error {
	f, err := v.readForm(name)
	switch {
	case err != nil:
		return err
	case f.isNew() && f.resource.try != "" && f.kind == "":
		return v.showKinds(f)
	case !f.isNew():
		found, err := v.findRecord(f.resource, f.query)
		if err != nil {
			return err
		}
		if found == nil {
			return kinds.NotFound.Err()
		}
		f.record = found
	}
	return v.showInputs(http.StatusOK, f, nil, "")
}

// showAgain shows a form again with the submitted values and the reason for the refusal: a verb's refusal, or the
// fields that can't be parsed. A stale form also shows the stored values.
func (v *visit) showAgain(status int, f *form, typed url.Values, refusal string, wrong ...string) error {
	if !f.isNew() {
		found, err := v.findRecord(f.resource, f.query)
		if _, refused := verb.Refusal(err); err != nil && !refused {
			return err
		}
		if found != nil {
			f.record = found
		}
	}
	return v.showInputs(status, f, typed, refusal, wrong...)
}

func (v *visit) showInputs(status int, f *form, typed url.Values, refusal string, wrong ...string) error {
	name := f.textName()
	label := v.actionLabel(name)
	page := web.OperatorForm{
		Title: v.formTitle(name, f.record.title(f.resource)), Text: v.description(f.verb, name), URL: httpx.WithQuery(formsPath+f.verb, f.query),
		Above: v.lang.T(f.resource.title), AboveURL: f.resource.back(f.query), Button: label, Danger: f.gone || v.pages.o.Verbs().Find(f.verb).Danger == verb.Deletes,
	}
	if v.isConfirmed(f.action) {
		page.Confirm = v.actionText("confirm", name, v.lang.T("operator.confirm.box"))
	}
	if f.kind != "" {
		page.Passed, page.Try, page.Held = f.passed, v.lang.T("operator.settings.try"), v.hold(f, typed)
		if key := "setting.kind." + f.query.Get("kind"); f.isNew() && v.lang.Has(key) {
			page.Title = v.lang.T(key)
		}
	}
	if v.field(f.verb, forms.VersionField) != nil {
		page.Version, _ = f.record.members[forms.VersionField].(string)
	}
	if f.stored != nil {
		page.Version = f.stored.Version
	}
	if v.field(f.verb, onceField) != nil {
		page.Once = id.Random() // a refused form has sent nothing
	}
	for i := range f.fields {
		input, err := v.input(f, &f.fields[i], typed, status == http.StatusConflict)
		if err != nil {
			return err
		}
		if slices.Contains(wrong, inputName(&f.fields[i])) {
			input.Field.Wrong = cmp.Or(refusal, v.lang.T("operator.form.wrong"))
		}
		if f.fields[i].More {
			page.More, page.MoreOpen = append(page.More, input), page.MoreOpen || input.Field.Wrong != "" || (typed != nil || f.stored != nil) && input.Field.Value != f.fields[i].FormText(f.fields[i].Default)
		} else {
			page.Inputs = append(page.Inputs, input)
		}
	}
	if f.kind != "" {
		page.More = append(page.More[1:], page.More[0]) // the text with all settings comes last
	}
	if status == http.StatusOK && len(page.Inputs) > 0 {
		page.Inputs[0].Field.Focus = true
	}
	return v.showForm(status, web.PageOperatorForm, page, refusal)
}

// input returns one field of a form with the submitted value, the stored value, or the offered values.
func (v *visit) input(of *form, f *verb.Field, typed url.Values, isStale bool) (web.OperatorInput, error) {
	stored := of.storedSetting(f)
	if !isSetting(f) && (f.Absent || len(of.record.members) > 0) {
		stored = storedText(f, of.record)
	}
	field := web.Field{
		ID: strings.ReplaceAll(inputName(f), ".", "-"), Name: inputName(f), Label: v.fieldLabel(of.verb, f), Hint: v.fieldHint(of.verb, f),
		Required: (f.Required || f.Arg != "") && !f.MayBeEmpty, Value: stored,
	}
	if stored == "" && !f.Absent {
		field.Value = cmp.Or(v.preset(of.action, f), f.FormText(f.Default))
	}
	if typed != nil {
		if field.Value = strings.TrimSpace(typed.Get(field.Name)); f.Kind == verb.Bool {
			field.Value = strconv.FormatBool(typed.Get(field.Name) != "")
		}
		if isStale && f.Absent {
			field.Wrong = web.StaleText(v.lang, v.valueText(f.Name(), field.Value), v.valueText(f.Name(), stored))
		}
	}
	if hint := v.keptHint(of, f); hint != "" {
		field.Hint, field.Required = hint, false
	}
	if f.Secret {
		field.Type, field.Autocomplete, field.Value = "password", "new-password", ""
	}
	options, labels := f.OneOf, of.record.namedBy(f.Of)
	for _, one := range labels {
		options = append(options, one.Key)
	}
	if f.Of != "" && len(labels) == 0 {
		names, err := v.keysOf(v.pages.resource(f.Of))
		if err != nil {
			return web.OperatorInput{}, err
		}
		options = names
	}
	out := web.OperatorInput{Kind: "field", Field: field}
	switch {
	case len(options) > 0:
		out.Select = &web.Select{ID: field.ID, Name: field.Name, Label: field.Label, Hint: field.Hint, Wrong: field.Wrong}
		for i, one := range options {
			option := web.Option{Value: one, Label: v.valueText(f.Name(), one), Selected: one == field.Value}
			if len(labels) > 0 {
				option.Label = v.senderText(strings.TrimSuffix(labels[i].Text, " (connected)"))
			}
			out.Select.Options = append(out.Select.Options, option)
		}
	case f.Kind == verb.Bool:
		out.Kind, out.On = "check", field.Value == "true"
	case f.Kind == verb.Settings || f.Kind == verb.List:
		out.Kind = "area"
	case f.Kind == verb.Time:
		out.Field.Type = "date"
	case f.Kind == verb.Number || f.Days:
		out.Field.InputMode = "numeric"
	}
	return out, nil
}

// storedText returns the stored value of a field in the format of a form. Settings are never shown.
func storedText(f *verb.Field, of *record) string {
	if f.Kind == verb.Settings {
		return ""
	}
	switch value := member(of.members, f.Name()).(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatInt(int64(value), 10)
	case []any:
		var items []string
		for _, one := range value {
			items = append(items, fmt.Sprint(one))
		}
		return strings.Join(items, "\n")
	case string:
		if at, err := time.Parse(time.RFC3339, value); err == nil && f.Kind == verb.Time {
			return at.UTC().Format(time.DateOnly)
		}
		return value
	default:
		return fmt.Sprint(value)
	}
}

// preset returns an action's default for a field without a stored value.
func (v *visit) preset(a *action, f *verb.Field) string {
	value := a.presets[f.Name()]
	if v.lang.Has(value) {
		return v.lang.T(value)
	}
	if after, err := time.ParseDuration(value); err == nil && f.Kind == verb.Time {
		return v.pages.o.Now().Add(after).UTC().Format(time.DateOnly)
	}
	return value
}

// keysOf returns the keys of a resource's records, for the choices of a form.
func (v *visit) keysOf(r *resource) (keys []string, err error) {
	l, err := v.readList(r, map[string]any{})
	if err != nil {
		return nil, err
	}
	return verb.Each(l.records, func(record *map[string]any) string { return fmt.Sprint((*record)[r.key]) }), nil
}
