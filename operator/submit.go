package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"example.com/griot/internal/forms"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/visible"
	messagingverbs "example.com/griot/messaging/verbs"
)

// runLimit is the maximum time that a request repeats a verb. After that, the page asks the operator to repeat the
// action.
const runLimit = 10 * time.Second

// submit runs the verb of a form or a button and redirects to the next page.
func (v *visit) submit(name string) error {
	typed, err := v.pages.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	f, err := v.readForm(name)
	if err != nil {
		return err
	}
	v.takeHeld(f, typed)
	tries := f.kind != "" && typed.Has("try")
	if !tries && v.isConfirmed(f.action) && typed.Get("confirm") != "yes" {
		v.wrong = "operator.confirm.missing"
		return v.showAgain(http.StatusBadRequest, f, typed, "")
	}
	in, wrong, err := v.readInput(f, typed)
	if len(wrong) > 0 {
		v.wrong = "operator.form.wrong"
		return v.showAgain(http.StatusBadRequest, f, typed, "", wrong...)
	}
	var done *outcome
	if err == nil && tries {
		done, err = v.run(f.resource.try, f.trial(in))
	} else if err == nil {
		done, err = v.run(name, in)
	}
	switch text, refused := verb.Refusal(err); {
	case errors.Is(err, forms.ErrStale):
		v.wrong = "component.stale"
		return v.showAgain(http.StatusConflict, f, typed, "")
	case refused && v.isDirect(f.action, f.query):
		return v.leave(f.resource.back(f.query), flash{refusal: text})
	case refused:
		return v.showAgain(http.StatusBadRequest, f, typed, text, wrongSetting(text))
	case err != nil:
		return err
	case tries:
		return v.showTried(f, typed, done)
	}
	v.pages.checks.forget() // the change might have fixed or caused a finding
	if !done.ended {
		return v.leave(f.resource.back(f.query), flash{wrong: "operator.form.more"})
	}
	return v.leave(v.after(f, done), v.flash(f, done))
}

// readInput builds a verb's input from a form's URL and its typed values. It leaves out values that are equal to the stored ones. wrong
// has the names of fields whose values can't be parsed.
func (v *visit) readInput(f *form, typed url.Values) (in map[string]any, wrong []string, err error) {
	in = map[string]any{}
	for _, field := range v.pages.o.Verbs().Find(f.verb).In {
		given := f.query.Get(inputName(&field))
		switch field.Name() {
		case forms.VersionField, onceField:
			given = typed.Get(field.Name())
		case langField:
			given = string(v.lang)
		}
		if given != "" {
			value, err := field.Parse(given)
			if err != nil {
				return nil, nil, kinds.Member.Err()
			}
			field.Put(in, value)
		}
	}
	if slices.ContainsFunc(f.fields, func(field verb.Field) bool { return field.Absent }) && !f.isNew() {
		found, err := v.findRecord(f.resource, f.query)
		if _, refused := verb.Refusal(err); err != nil && !refused {
			return nil, nil, err
		}
		if found != nil {
			f.record = found
		}
	}
	for i := range f.fields {
		field := &f.fields[i]
		text := visible.Trim(typed.Get(inputName(field)))
		if field.Kind == verb.Bool {
			text = strconv.FormatBool(text != "")
		}
		if isSetting(field) && text == field.Default || field.More && text == "" {
			continue
		}
		changes := field.Absent && !f.isNew()
		if changes && text == storedText(field, f.record) {
			continue
		}
		value, err := field.Parse(text)
		if settings, ok := value.(json.RawMessage); ok && f.kind != "" {
			members := map[string]any{}
			value, err = members, json.Unmarshal(settings, &members)
		}
		switch {
		case err != nil && field.Kind == verb.Settings:
			return nil, nil, verb.Refuse("%s.", capitalized(err.Error()))
		case err != nil:
			wrong = append(wrong, inputName(field))
		case value != nil && (text != "" || changes || field.Required):
			field.Put(in, value)
		}
	}
	if f.kind != "" {
		f.putKind(in)
	}
	return in, wrong, nil
}

// outcome is a verb's result.
type outcome struct {
	result  any            // of the verb's type
	members map[string]any // the same as JSON; empty for a list
	ended   bool           // false: runLimit was reached before the verb was done
}

// run runs a verb. It repeats it if the result is not final.
func (v *visit) run(name string, in map[string]any) (*outcome, error) {
	for until := v.pages.o.Now().Add(runLimit); ; {
		raw, result, err := v.call(name, in)
		if err != nil {
			return nil, err
		}
		out := &outcome{result: result, members: map[string]any{}}
		_ = json.Unmarshal(raw, &out.members) // a list has none
		if out.ended = !v.pages.o.Verbs().Find(name).GoesOn(in, out.members); out.ended || !v.pages.o.Now().Before(until) {
			return out, nil
		}
	}
}

// after returns the URL of the page after a form: the record's page, or the list if the record is gone.
func (v *visit) after(f *form, done *outcome) string {
	switch {
	case f.gone || f.resource.ends:
		return f.resource.path()
	case f.isNew() && f.resource.parent == nil:
		return f.resource.at(fmt.Sprint(done.members[f.resource.key]))
	}
	return f.resource.back(f.query)
}

// flash returns the message on the page after a form, with a new secret if the verb created one.
func (v *visit) flash(f *form, done *outcome) flash {
	if f.tell != nil {
		return f.tell(v, done.members)
	}
	out := flash{text: v.done(f.textName())}
	result := done.members["result"]
	if result == nil {
		result = done.members["state"]
	}
	if told, ok := f.outcomes[fmt.Sprint(result)]; ok {
		out = told
		if out.failure != "" {
			test := done.members
			if changed, ok := test["test"].(map[string]any); ok {
				test = changed
			}
			text, fix := failureIn(test).Explain(v.lang)
			out.wrong = v.lang.T(out.failure, text, capitalized(fix), member(test, "problem"))
		}
	}
	for _, line := range verb.Lines(done.result) {
		if line.Once {
			out.secret, out.title = fmt.Sprint(line.Cell), v.columnLabel(line.Name)
		}
	}
	return out
}

// failureIn returns the failure of a gateway in a verb's result.
func failureIn(result map[string]any) messagingverbs.GatewayFailure {
	text := func(name string) string {
		value, _ := result[name].(string)
		return value
	}
	return messagingverbs.GatewayFailure{Code: text("failureCode"), Class: text("failureClass"), ProviderCode: text("failureProviderCode")}
}

// toldTest returns the message on the page after a test message.
func (v *visit) toldTest(result map[string]any) flash {
	id, providerID := result["messageId"], result["providerId"]
	switch result["result"] {
	case messagingverbs.MessageFailed:
		f := failureIn(result)
		text, fix := f.ExplainMessage(v.lang)
		return flash{wrong: v.lang.T("operator.test.failed", text, fix, f.Codes())}
	case messagingverbs.MessageUnknown:
		return flash{wrong: v.lang.T("operator.test.unknown", id)}
	case messagingverbs.MessageWaiting:
		return flash{text: v.lang.T("operator.test.waiting", id)}
	}
	if providerID == nil {
		return flash{text: v.lang.T("operator.test.accepted_here", id)}
	}
	return flash{text: v.lang.T("operator.test.accepted", providerID, id)}
}
