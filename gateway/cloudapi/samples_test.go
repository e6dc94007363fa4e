package cloudapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway"
)

// samples reads a file of Meta's published examples, which are not in this repository. GRIOT_TEST_CLOUDAPI_SAMPLES is their directory.
func samples(t *testing.T, name string, into any) {
	t.Helper()
	dir := os.Getenv("GRIOT_TEST_CLOUDAPI_SAMPLES")
	if dir == "" {
		t.Skip("GRIOT_TEST_CLOUDAPI_SAMPLES is not set: Meta's examples are not at hand; the project's own are in webhook_test.go")
	}
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// Every published webhook is accepted, and every message in it is stored.
func TestSamples_Webhooks(t *testing.T) {
	t.Parallel()
	var all struct{ Webhooks map[string]json.RawMessage }
	samples(t, "webhook-examples.json", &all)
	if len(all.Webhooks) < 10 {
		t.Fatalf("%d examples", len(all.Webhooks))
	}
	for name, body := range all.Webhooks {
		s, env := newFakeGraph(t).open(nil)
		if w := callWebhook(s, signedCall(string(body))); w.Code != 200 {
			t.Errorf("%s: %d", name, w.Code)
		}
		want := 1
		if strings.Contains(name, "Group") || strings.Contains(name, "System") {
			want = 0
			if changes, dropped := len(env.Sink.Changes()), env.Unhandled()[gateway.UnhandledKind]; changes+dropped != 1 || (changes == 1) != strings.Contains(name, "System") {
				t.Errorf("%s: %d changes, %d dropped", name, changes, dropped)
			}
		}
		got := env.Sink.Messages()
		if len(got) != want {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for _, in := range got {
			unsupported := strings.Contains(name, "Unsupported")
			if in.To != ourNumber || in.From != "16505551234" || in.DisplayName != "Sheena Nelson" || (in.Type == gateway.InboundOther) != unsupported || (in.Text == "") != unsupported {
				t.Errorf("%s: %+v", name, in)
			}
		}
	}
}

// Requests have the fields of the published examples, with the same JSON types.
func TestSamples_Requests(t *testing.T) {
	t.Parallel()
	var all struct{ Requests map[string]map[string]any }
	samples(t, "messages-examples.json", &all)
	template := map[string]any{"name": "griot_code", "languages": map[string]any{"fr": "fr"}}
	g := newFakeGraph(t)
	g.noStatuses = true
	s, _ := g.open(map[string]any{"code_template": template})
	media := func(mimeType string, data string) func(out *gateway.Outbound) {
		return func(out *gateway.Outbound) {
			out.Media = &gateway.Media{URL: "https://example.com/a", Data: []byte(data), MIMEType: mimeType, FileName: "a.pdf"}
			if strings.HasPrefix(mimeType, "audio") {
				out.Text = ""
			}
		}
	}
	for name, change := range map[string]func(out *gateway.Outbound){
		"Send Text Message":                     func(*gateway.Outbound) {},
		"Send Image Message by ID":              media("image/png", "a"),
		"Send Image Message by URL":             media("image/png", ""),
		"Send Video Message by ID":              media("video/mp4", "a"),
		"Send Video Message by URL":             media("video/mp4", ""),
		"Send Audio Message by ID":              media("audio/mpeg", "a"),
		"Send Audio Message by URL":             media("audio/mpeg", ""),
		"Send Document Message by ID":           media("application/pdf", "a"),
		"Send Document Message by URL":          media("application/pdf", ""),
		"Send Sample Issue Resolution Template": func(out *gateway.Outbound) { out.Code = "041235" },
		"Send Test Message":                     func(out *gateway.Outbound) { out.Template = &gateway.Template{Name: "hello_world", Language: "en_US"} },
		"Send Message Template Text": func(out *gateway.Outbound) {
			out.Template = &gateway.Template{Name: "a", Language: "fr", Body: []string{"Awa"}}
		},
		"Send Message Template Media": func(out *gateway.Outbound) {
			media("image/png", "")(out)
			out.Template = &gateway.Template{Name: "a", Language: "fr", Body: []string{"Awa"}}
		},
		"Send Message Template Interactive": func(out *gateway.Outbound) {
			media("image/png", "")(out)
			out.Template = &gateway.Template{Name: "a", Language: "fr", Buttons: []gateway.TemplateButton{{Type: gateway.ButtonQuickReply, Value: "x"}}}
		},
		"Send Reply Button": func(out *gateway.Outbound) {
			out.Interactive = &gateway.Interactive{Buttons: []gateway.Choice{{ID: "a", Title: "A"}}}
		},
		"Send List Message": func(out *gateway.Outbound) {
			out.Interactive = &gateway.Interactive{Header: "H", Footer: "F", List: &gateway.List{Button: "B", Sections: []gateway.Section{{Rows: []gateway.Choice{{ID: "a", Title: "A"}}}}}}
		},
	} {
		shown, ok := all.Requests[name]
		if !ok {
			t.Errorf("%s is not among the examples", name)
			continue
		}
		out := messageTo(aissata)
		change(out)
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		posted := g.lastPost()
		kind, _ := shown["type"].(string)
		for member := range shown {
			if posted[member] == nil {
				t.Errorf("%s: no %s", name, member)
			}
		}
		example, _ := shown[kind].(map[string]any)
		mine, _ := posted[kind].(map[string]any)
		for member, v := range mine {
			shownValue, isShown := example[member]
			if !isShown && member != "caption" && member != "filename" || isShown && kindOfJSON(shownValue) != kindOfJSON(v) {
				t.Errorf("%s: %s.%s is %T, Meta shows %T", name, kind, member, v, shownValue)
			}
		}
	}
}

func kindOfJSON(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "number"
}
