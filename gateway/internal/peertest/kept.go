package peertest

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
)

// KeptMessage tests that a driver loses no message from a person because of one of its fields. It takes each field
// away, empties it, gives it another type, and makes it unreadable.
//
// Fields are named by their path in the JSON document, such as "payload.message" or "entry.0.id", or by their name in
// the form.
type KeptMessage struct {
	Call   string   // a valid call: a JSON object, or a form or query
	From   string   // who wrote the message
	Text   string   // what they wrote
	Sender []string // the fields that name the sender; the message is only lost if all of them are
	Body   []string // the fields that contain the text; likewise
	Others []string // fields whose other values have another meaning, such as another number of ours: the message can be dropped, but not silently
	Time   string   // the field with the time of the message; empty: it has none
	At     time.Time
	Open   func(t *testing.T) (call func(body string) (status int), env *gatewaytest.Environment)
}

// Run tests each change of each field in a driver of its own.
func (k *KeptMessage) Run(t *testing.T) {
	t.Helper()
	t.Run("unchanged", func(t *testing.T) { k.check(t, k.Call, nil) })
	count := 0
	for _, c := range k.changes() {
		count++
		t.Run(c.field+" "+c.name, func(t *testing.T) {
			t.Parallel()
			k.check(t, c.call, &c)
		})
	}
	if count < 12 {
		t.Errorf("only %d changes: the call has hardly any fields", count)
	}
	k.times(t)
}

// KeptReceipt tests, like [KeptMessage], that a driver loses no receipt because of one of its fields.
type KeptReceipt struct {
	Call    string   // a valid call with one receipt: a JSON object, or a form or query
	Message []string // the fields that name the message; the receipt is only lost if all of them are
	Status  []string // the fields with the status; likewise
	Open    func(t *testing.T) (call func(body string) (status int), env *gatewaytest.Environment)
}

// Run tests each change of each field in a driver of its own.
func (k *KeptReceipt) Run(t *testing.T) {
	t.Helper()
	m := &KeptMessage{Call: k.Call, Sender: k.Message, Body: k.Status}
	for _, c := range append([]change{{call: k.Call}}, m.changes()...) {
		t.Run(c.field+" "+c.name, func(t *testing.T) {
			t.Parallel()
			call, env := k.Open(t)
			status := call(c.call)
			if got := len(env.Sink.Receipts()); !m.excused(c.field) && (got != 1 || status/100 != 2) || got > 1 {
				t.Errorf("%d receipts are stored, and the answer is %d: %s; logged %s", got, status, c.call[:min(len(c.call), 1000)], env.Logged())
			}
		})
	}
}

// change is a call with one changed field.
type change struct{ field, name, call string }

// times tests the units of the time, and values that are no time of a message.
func (k *KeptMessage) times(t *testing.T) {
	t.Helper()
	if k.Time == "" {
		return
	}
	unix := func(n int64) string { return strconv.FormatInt(n, 10) }
	readable := []string{unix(k.At.Unix()), unix(k.At.UnixMilli()), unix(k.At.UnixMicro()), k.At.Format(time.RFC3339Nano)}
	unreadable := []string{"", "0", "-1", "~", "null", "1e400", "4102444800", "4102444800000", "315532800", "1980-01-06T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "99999999999999999999"}
	if strings.HasPrefix(k.Call, "{") {
		readable, unreadable = append(readable, `"`+unix(k.At.UnixMilli())+`"`), append(unreadable, `"0"`)
	}
	for _, text := range append(slices.Clone(readable), unreadable...) {
		t.Run(k.Time+" is "+text, func(t *testing.T) {
			t.Parallel()
			call, env := k.Open(t)
			now := env.Clock.Now()
			if status := call(k.with(k.Time, text)); status/100 != 2 || len(env.Sink.Messages()) != 1 {
				t.Fatalf("answered with %d, and %d messages are stored; logged %s", status, len(env.Sink.Messages()), env.Logged())
			}
			want, said := now, true
			if slices.Contains(readable, text) {
				want, said = k.At, false
			}
			if at := env.Sink.Messages()[0].At; at.Sub(want).Abs() >= time.Second {
				t.Errorf("stored with the time %s, want %s", at, want)
			}
			if said != strings.Contains(env.Logged(), "no plausible time") {
				t.Errorf("logged %q", env.Logged())
			}
		})
	}
}

// check makes a call and checks that its message is stored, or that it is not dropped silently if the change excuses it.
func (k *KeptMessage) check(t *testing.T, body string, c *change) {
	t.Helper()
	call, env := k.Open(t)
	status := call(body)
	body = body[:min(len(body), 1000)]
	got := env.Sink.Messages()
	if len(got) == 0 && c != nil && k.excused(c.field) {
		if status/100 == 2 && len(env.Unhandled()) == 0 {
			t.Errorf("acknowledged with %d and dropped without a count: %s; logged %s", status, body, env.Logged())
		}
		return
	}
	if status/100 != 2 || len(got) != 1 {
		t.Fatalf("%d messages are stored, and the answer is %d: %s; logged %s", len(got), status, body, env.Logged())
	}
	if in := got[0]; c == nil || !k.excused(c.field) {
		if from := in.Address(); from != k.From || in.Text != k.Text || in.ID == "" {
			t.Errorf("stored from %q with the text %q and the ID %q: %s", from, in.Text, in.ID, body)
		}
	}
	if c == nil && env.Logged() != "" && strings.Contains(env.Logged(), "WARN") {
		t.Errorf("logged %s", env.Logged())
	}
}

// excused reports whether a message without a field can be dropped: if the field is or contains the only sender or text, or one of Others.
func (k *KeptMessage) excused(field string) bool {
	within := func(name string) bool { return name == field || strings.HasPrefix(name, field+".") }
	return containsAll(k.Sender, within) || containsAll(k.Body, within) || slices.ContainsFunc(k.Others, within)
}

func containsAll(names []string, within func(string) bool) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !within(name) })
}

// unreadableTexts returns texts that are no value of any field.
func unreadableTexts() map[string]string {
	return map[string]string{"empty": "", "a blank": " ", "unreadable": "~\x00\xff", "long": strings.Repeat("~", 5000)}
}

// changes returns a call for each change of each field.
func (k *KeptMessage) changes() (all []change) {
	if !strings.HasPrefix(k.Call, "{") {
		form, _ := url.ParseQuery(k.Call)
		for name := range form {
			for what, text := range unreadableTexts() {
				all = append(all, change{name, what, k.with(name, text)})
			}
			without := maps.Clone(form)
			delete(without, name)
			all = append(all, change{name, "absent", without.Encode()})
		}
		return all
	}
	values := map[string]any{"null": nil, "a number": 7, "true": true, "an object": map[string]any{}, "a list": []any{}, "a list of lists": []any{[]any{}}}
	for what, text := range unreadableTexts() {
		values[what] = strings.ToValidUTF8(text, "\uFFFD")
	}
	for _, path := range paths(parsed(k.Call), "") {
		for what, v := range values {
			all = append(all, change{path, what, edited(k.Call, path, func(in map[string]any, name string) { in[name] = v })})
		}
		all = append(all, change{path, "absent", edited(k.Call, path, func(in map[string]any, name string) { delete(in, name) })})
	}
	return all
}

// with returns the call with another value of a field: JSON if the text is JSON, otherwise a string.
func (k *KeptMessage) with(field, text string) string {
	if !strings.HasPrefix(k.Call, "{") {
		form, _ := url.ParseQuery(k.Call)
		form.Set(field, text)
		return form.Encode()
	}
	return edited(k.Call, field, func(in map[string]any, name string) {
		if in[name] = text; json.Valid([]byte(text)) {
			in[name] = json.RawMessage(text)
		}
	})
}

func parsed(document string) (v any) {
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// paths lists the fields of a document, with those of inner objects and of the first element of lists.
func paths(v any, prefix string) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			all = append(append(all, prefix+name), paths(inner, prefix+name+".")...)
		}
	case []any:
		if len(v) > 0 {
			all = paths(v[0], prefix+"0.")
		}
	}
	return all
}

// edited returns the document after an edit of the object that contains a field.
func edited(document, path string, edit func(in map[string]any, name string)) string {
	root := parsed(document)
	at, steps := root, strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		if list, ok := at.([]any); ok {
			at = list[0]
		} else {
			at = at.(map[string]any)[step]
		}
	}
	edit(at.(map[string]any), steps[len(steps)-1])
	text, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	return string(text)
}
