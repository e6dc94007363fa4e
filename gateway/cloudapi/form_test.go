package cloudapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
)

// Templates and interactive messages in Meta's documented form, and Ack.Form.
func TestSend_Forms(t *testing.T) {
	t.Parallel()
	shipped := map[string]any{"preset_templates": map[string]any{
		"order_shipped": map[string]any{"name": "colis", "languages": map[string]any{"fr": "fr", "en": "en_US"}, "body": []any{"name", "orderId"}},
		"payment":       map[string]any{"name": "merci", "languages": map[string]any{"fr": "fr"}},
	}}
	photo := func(out *gateway.Outbound) {
		out.Media = &gateway.Media{URL: "https://example.com/a.png", MIMEType: "image/png"}
	}
	plain := `{"type":"text","text":{"body":"Bonjour baobab","preview_url":false}}`
	buttons := []gateway.Choice{{ID: "oui", Title: "Oui"}, {ID: "non", Title: "Non"}}
	for name, tt := range map[string]struct {
		change func(out *gateway.Outbound)
		want   string
		form   string
	}{
		"template without places": {func(out *gateway.Outbound) {
			out.Template = &gateway.Template{Name: "hello_world", Language: "en_US"}
		}, `{"type":"template","template":{"name":"hello_world","language":{"code":"en_US"}}}`, "template hello_world"},
		"template with everything": {
			func(out *gateway.Outbound) {
				out.Template = &gateway.Template{Name: "colis", Language: "fr", Header: "2041", Body: []string{"Awa", "mardi"}, Buttons: []gateway.TemplateButton{
					{Index: 0, Type: gateway.ButtonURL, Value: "c/2041"}, {Index: 1, Type: gateway.ButtonQuickReply, Value: "stop"}, {Index: 2, Type: gateway.ButtonCopyCode, Value: "PROMO"},
				}}
			},
			`{"type":"template","template":{"name":"colis","language":{"code":"fr"},"components":[{"type":"header","parameters":[{"type":"text","text":"2041"}]},
 {"type":"body","parameters":[{"type":"text","text":"Awa"},{"type":"text","text":"mardi"}]},
 {"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"c/2041"}]},
 {"type":"button","sub_type":"quick_reply","index":"1","parameters":[{"type":"payload","payload":"stop"}]},
 {"type":"button","sub_type":"copy_code","index":"2","parameters":[{"type":"coupon_code","coupon_code":"PROMO"}]}]}}`, "template colis",
		},
		"template with names and a picture": {
			func(out *gateway.Outbound) {
				photo(out)
				out.Template = &gateway.Template{Name: "colis", Language: "fr", Named: map[string]string{"jour": "mardi", "client": "Awa"}}
			},
			`{"type":"template","template":{"name":"colis","language":{"code":"fr"},"components":[{"type":"header","parameters":[{"type":"image","image":{"link":"https://example.com/a.png"}}]},
 {"type":"body","parameters":[{"type":"text","parameter_name":"client","text":"Awa"},{"type":"text","parameter_name":"jour","text":"mardi"}]}]}}`, "template colis",
		},
		"template with a name for the header's place": {
			func(out *gateway.Outbound) {
				out.Template = &gateway.Template{Name: "colis", Language: "fr", Header: "2041", HeaderName: "colis", Named: map[string]string{"client": "Awa"}}
			},
			`{"type":"template","template":{"name":"colis","language":{"code":"fr"},"components":[{"type":"header","parameters":[{"type":"text","parameter_name":"colis","text":"2041"}]},
 {"type":"body","parameters":[{"type":"text","parameter_name":"client","text":"Awa"}]}]}}`, "template colis",
		},
		"template with pasted values": { // Meta refuses line breaks, tabs, and five spaces
			func(out *gateway.Outbound) {
				out.Template = &gateway.Template{Name: "colis", Language: "fr", Header: "20\t41", HeaderName: "colis", Named: map[string]string{"client": "Awa     Diallo\n", "jour": "12\u202f500\r\nFCFA"}}
			},
			`{"type":"template","template":{"name":"colis","language":{"code":"fr"},"components":[{"type":"header","parameters":[{"type":"text","parameter_name":"colis","text":"20 41"}]},
 {"type":"body","parameters":[{"type":"text","parameter_name":"client","text":"Awa Diallo"},{"type":"text","parameter_name":"jour","text":"12 500 FCFA"}]}]}}`, "template colis",
		},
		"preset with its template": {func(out *gateway.Outbound) {
			out.Preset, out.Values, out.Locale = "order_shipped", map[string]string{"orderId": "2041", "name": "Awa"}, "en"
		}, `{"type":"template","template":{"name":"colis","language":{"code":"en_US"},"components":[{"type":"body","parameters":[{"type":"text","text":"Awa"},{"type":"text","text":"2041"}]}]}}`, "template colis"},
		"preset whose template has no places": {func(out *gateway.Outbound) {
			out.Preset, out.Locale = "payment", "en"
		}, `{"type":"template","template":{"name":"merci","language":{"code":"fr"}}}`, "template merci"},
		"preset that lacks a value": {func(out *gateway.Outbound) {
			out.Preset, out.Values = "order_shipped", map[string]string{"orderId": "2041"}
		}, plain, ""},
		"preset with a value that no place takes": {func(out *gateway.Outbound) {
			out.Preset, out.Values = "order_shipped", map[string]string{"orderId": strings.Repeat("é", 1025), "name": "Awa"}
		}, plain, ""},
		"preset without a template": {func(out *gateway.Outbound) { out.Preset = "delivery_out" }, plain, ""},
		"preset of what has a template of its own": {func(out *gateway.Outbound) {
			out.Preset, out.Template = "payment", &gateway.Template{Name: "hello_world", Language: "en_US"}
		}, `{"type":"template","template":{"name":"hello_world","language":{"code":"en_US"}}}`, "template hello_world"},
		"buttons": {func(out *gateway.Outbound) {
			out.Interactive = &gateway.Interactive{Header: "Colis", Footer: "Merci", Buttons: buttons}
		}, `{"type":"interactive","interactive":{"type":"button","header":{"type":"text","text":"Colis"},"body":{"text":"Bonjour baobab"},"footer":{"text":"Merci"},
 "action":{"buttons":[{"type":"reply","reply":{"id":"oui","title":"Oui"}},{"type":"reply","reply":{"id":"non","title":"Non"}}]}}}`, ""},
		"buttons below a picture": {func(out *gateway.Outbound) {
			photo(out)
			out.Interactive = &gateway.Interactive{Buttons: buttons[:1]}
		}, `{"type":"interactive","interactive":{"type":"button","header":{"type":"image","image":{"link":"https://example.com/a.png"}},"body":{"text":"Bonjour baobab"},
 "action":{"buttons":[{"type":"reply","reply":{"id":"oui","title":"Oui"}}]}}}`, ""},
		"list": {func(out *gateway.Outbound) {
			out.Interactive = &gateway.Interactive{List: &gateway.List{Button: "Choisir", Sections: []gateway.Section{
				{Title: "Matin", Rows: []gateway.Choice{{ID: "8", Title: "8 h", Description: "au marché"}}}, {Title: "Soir", Rows: []gateway.Choice{{ID: "18", Title: "18 h"}}},
			}}}
		}, `{"type":"interactive","interactive":{"type":"list","body":{"text":"Bonjour baobab"},"action":{"button":"Choisir","sections":[
 {"title":"Matin","rows":[{"id":"8","title":"8 h","description":"au marché"}]},{"title":"Soir","rows":[{"id":"18","title":"18 h"}]}]}}}`, ""},
		"link": {func(out *gateway.Outbound) {
			out.Interactive = &gateway.Interactive{Link: &gateway.Link{Title: "Suivre", URL: "https://example.com/c/2041"}}
		}, `{"type":"interactive","interactive":{"type":"cta_url","body":{"text":"Bonjour baobab"},"action":{"name":"cta_url","parameters":{"display_text":"Suivre","url":"https://example.com/c/2041"}}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newFakeGraph(t)
			g.noStatuses = true
			s, _ := g.open(shipped)
			out := messageTo(aissata)
			tt.change(out)
			ack, err := s.Send(t.Context(), out)
			if err != nil || ack.Form != tt.form {
				t.Fatalf("%+v, %v", ack, err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			want["to"], want["messaging_product"], want["recipient_type"], want["biz_opaque_callback_data"] = "+"+aissata, "whatsapp", "individual", out.Ref
			if diff := cmp.Diff(want, g.lastPost()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A template's header image is uploaded.
func TestSend_FormsUpload(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(nil)
	out := messageTo(aissata)
	out.Media = &gateway.Media{Data: []byte("PNG"), MIMEType: "image/png"}
	out.Template = &gateway.Template{Name: "colis", Language: "fr"}
	if _, err := s.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	header := g.lastPost()["template"].(map[string]any)["components"].([]any)[0].(map[string]any)["parameters"].([]any)[0].(map[string]any)
	if id := header["image"].(map[string]any)["id"]; id == nil || g.uploads[id.(string)] != "image/png file PNG" {
		t.Errorf("%v, %v", header, g.uploads)
	}
}

func TestSend_InvalidForms(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(nil)
	sound := &gateway.Media{Data: []byte("OGG"), MIMEType: "audio/ogg"}
	for want, change := range map[string]func(out *gateway.Outbound){
		"permanent media_unsupported": func(out *gateway.Outbound) {
			out.Media, out.Template = sound, &gateway.Template{Name: "colis", Language: "fr"}
		},
		"permanent media_unsupported ": func(out *gateway.Outbound) {
			out.Media, out.Interactive = sound, &gateway.Interactive{Link: &gateway.Link{}}
		},
		"permanent message_empty": func(out *gateway.Outbound) {
			out.Text, out.Interactive = "", &gateway.Interactive{Link: &gateway.Link{}}
		},
		"permanent message_empty ": func(out *gateway.Outbound) {
			out.Media, out.Template = &gateway.Media{}, &gateway.Template{}
		},
	} {
		out := messageTo(aissata)
		change(out)
		_, err := s.Send(t.Context(), out)
		wantFailure(t, err, strings.TrimSpace(want))
	}
	if len(g.posts) != 0 {
		t.Error("a request was made")
	}
}
