package verbs

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"example.com/griot/internal/forms"
)

func TestMergeSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ form, kind, stored, typed, want string }{
		"a secret stays":                    {"smtp", "smtp", `{"host":"a","password":"s","pool":2}`, `{"host":"b"}`, `{"host":"b","password":"s"}`},
		"a new secret":                      {"smtp", "smtp", `{"host":"a","password":"s"}`, `{"host":"a","password":"t"}`, `{"host":"a","password":"t"}`},
		"a secret replaces a file":          {"smtp", "smtp", `{"host":"a","password_file":"/s"}`, `{"host":"a","password":"t"}`, `{"host":"a","password":"t"}`},
		"a secret file stays":               {"smtp", "smtp", `{"host":"a","password_file":"/s"}`, `{"host":"a"}`, `{"host":"a","password_file":"/s"}`},
		"null removes":                      {"smtp", "smtp", `{"host":"a","password":"s"}`, `{"host":"a","password":null}`, `{"host":"a"}`},
		"a setting without a field stays":   {"httpsms", "httpsms", `{"url":"http://a/","headers":{"X-Key":"k"}}`, `{"url":"http://b/"}`, `{"headers":{"X-Key":"k"},"url":"http://b/"}`},
		"an address with a key stays":       {"httpsms", "httpsms", `{"url":"http://a/?key=k","rate":3}`, `{}`, `{"url":"http://a/?key=k"}`},
		"a preset stays":                    {"httpsms.orange", "httpsms", `{"preset":"orange","oauth":{"client_id":"i","client_secret":"s"}}`, `{"oauth":{"client_id":"j"}}`, `{"oauth":{"client_id":"j","client_secret":"s"},"preset":"orange"}`},
		"other elements of a list stay":     {"cloudapi", "cloudapi", `{"access_token":"s","phone_numbers":[{"id":"1","number":"22370000001"},{"id":"2"}]}`, `{"phone_numbers":{"0":{"id":"3"}}}`, `{"access_token":"s","phone_numbers":[{"id":"3"},{"id":"2"}]}`},
		"an emptied element of a list":      {"cloudapi", "cloudapi", `{"phone_numbers":[{"id":"1"},{"id":"2"}]}`, `{}`, `{"phone_numbers":[{"id":"2"}]}`},
		"an emptied list":                   {"cloudapi", "cloudapi", `{"phone_numbers":[{"id":"1"}]}`, `{}`, `{}`},
		"the secret in an element stays":    {"remote", "remote", `{"url":"http://a/","keys":[{"id":"1","secret":"s"}]}`, `{"url":"http://a/","keys":{"0":{"id":"2"}}}`, `{"keys":[{"id":"2","secret":"s"}],"url":"http://a/"}`},
		"a first element":                   {"remote", "remote", `{"url":"http://a/"}`, `{"url":"http://a/","keys":{"0":{"id":"2","secret":"t"}}}`, `{"keys":[{"id":"2","secret":"t"}],"url":"http://a/"}`},
		"a value that the field can't have": {"smtp", "smtp", `{"host":"a","port":"many","send_timeout":10.50}`, `{"host":"a"}`, `{"host":"a","port":"many"}`},
		"a large number":                    {"smtp", "smtp", `{"host":"a","other":12345678901234567890}`, `{"host":"a"}`, `{"host":"a","other":12345678901234567890}`},
		"a Boolean returns to its default":  {"smpp", "smpp", `{"host":"a","receipts":false}`, `{"host":"a"}`, `{"host":"a"}`},
		"another form":                      {"httpsms", "httpsms", `{"preset":"orange"}`, `{}`, ``},
	} {
		got, err := mergeSettings(test.form, test.kind, json.RawMessage(test.stored), json.RawMessage(test.typed))
		if test.want == "" {
			if !errors.Is(err, forms.ErrStale) {
				t.Errorf("%s: %s, %v", name, got, err)
			}
			continue
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, test.want)
		}
	}
}

// A form shows no secret, whatever the settings are.
func TestShownSettings(t *testing.T) {
	t.Parallel()
	forms, err := allForms()
	if err != nil {
		t.Fatal(err)
	}
	for name, fields := range forms {
		for i := range fields {
			for _, value := range []any{"http://user:secret@a/", "https://a/?key=secret", []any{"a", 1}, map[string]any{"a": "secret"}, "a\nsecret"} {
				if text, ok := fields[i].text(value); ok {
					t.Errorf("%s %s shows %q", name, fields[i].Name, text)
				}
			}
			if text, ok := fields[i].text("secret"); ok && fields[i].Type == "secret" {
				t.Errorf("%s %s shows %q", name, fields[i].Name, text)
			}
		}
	}
	got := shownSettings(forms["remote"], map[string]any{"url": "https://a/b", "channels": []any{"sms", "email"}, "keys": []any{map[string]any{"id": "1", "secret": "s"}}, "connections": json.Number("4"), "allow_plaintext": true})
	if want := map[string]string{"url": "https://a/b", "channels": "sms\nemail", "keys.0.id": "1", "connections": "4", "allow_plaintext": "true"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
