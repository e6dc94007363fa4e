package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
)

const (
	aTemplate = `{"template":{"name":"order_shipped","language":"fr","header":"2041","body":["Awa","mardi"],"buttons":[{"index":1,"type":"quick_reply","value":"stop"}]}}`
	aList     = `{"interactive":{"header":"Colis","footer":"Merci","list":{"button":"Choisir","sections":[{"rows":[{"id":"8","title":"8 h","description":"au marché"}]}]}}}`
)

func form(forms string, more ...string) string {
	return `{"to":"22376000001","channel":"whatsapp","message":"Votre colis arrive.","whatsapp":` + forms + strings.Join(more, "") + `}`
}

// The requested form reaches the gateway, immediately and after a wait on disk, and the timeline shows the form that the gateway used.
// Rules: M43, M202.
func TestSend_TemplatesAndInteractive(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		s.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if out.Template == nil {
				return gateway.Ack{}, nil
			}
			return gateway.Ack{Form: "template " + out.Template.Name}, nil
		})
		shipped := &gateway.Template{
			Name: "order_shipped", Language: "fr", Header: "2041", Body: []string{"Awa", "mardi"},
			Buttons: []gateway.TemplateButton{{Index: 1, Type: gateway.ButtonQuickReply, Value: "stop"}},
		}
		list := &gateway.Interactive{Header: "Colis", Footer: "Merci", List: &gateway.List{Button: "Choisir", Sections: []gateway.Section{{Rows: []gateway.Choice{{ID: "8", Title: "8 h", Description: "au marché"}}}}}}
		for name, tc := range map[string]struct {
			body string
			want gateway.Outbound
			note any
		}{
			"template":              {form(aTemplate), gateway.Outbound{Template: shipped}, "template order_shipped"},
			"template, category":    {form(strings.Replace(aTemplate, `"name"`, `"category":"marketing","name"`, 1)), gateway.Outbound{Template: shipped}, "template order_shipped"},
			"template, sealed":      {form(aTemplate, `,"sensitive":true`), gateway.Outbound{Template: shipped}, "template order_shipped"},
			"template, later":       {form(aTemplate, `,"scheduledAt":"2026-03-04T13:00:00Z"`), gateway.Outbound{Template: shipped}, "template order_shipped"},
			"list":                  {form(aList), gateway.Outbound{Interactive: list}, nil},
			"null":                  {form("null"), gateway.Outbound{}, nil},
			"preset":                {`{"to":"22376000001","channel":"whatsapp","preset":"order_confirmed","presetVariables":{"orderId":"7","locale":"en"}}`, gateway.Outbound{Preset: "order_confirmed", Values: map[string]string{"orderId": "7"}, Locale: "en"}, nil},
			"preset of another way": {`{"to":"22376000001","channel":"sms","preset":"order_confirmed","presetVariables":{"orderId":"7"}}`, gateway.Outbound{}, nil},
		} {
			before := len(s.Gateway.Calls())
			a := s.send(tc.body)
			if a.status == 202 {
				s.Clock.Advance(2 * time.Hour)
				s.Becomes(t, a.text("messageId"), message.Sent)
			}
			asked := s.Gateway.Calls()
			if len(asked) != before+1 {
				t.Fatalf("%s: %d %s, asked %d times", name, a.status, a.raw, len(asked)-before)
			}
			got := asked[before]
			if diff := cmp.Diff(tc.want, gateway.Outbound{Template: got.Template, Interactive: got.Interactive, Preset: got.Preset, Values: got.Values, Locale: got.Locale}); diff != "" || got.Text == "" {
				t.Errorf("%s: %q %s", name, got.Text, diff)
			}
			events := s.do("GET", "/api/status/"+a.text("messageId"), "", "Authorization: Bearer "+s.LiveKey).body["events"].([]any)
			if last := events[len(events)-1].(map[string]any); last["status"] != "SENT" || last["note"] != tc.note {
				t.Errorf("%s: %v", name, last)
			}
		}
	})
}

// Rules: M43, M202.
func TestSend_FormsAreRefused(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	template := func(members string) string { return form(`{"template":{"name":"a","language":"fr"` + members + `}}`) }
	interactive := func(members string) string { return form(`{"interactive":{` + members + `}}`) }
	const buttons = `"buttons":[{"id":"1","title":"Oui"}]`
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	rows := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"id":"%d","title":"t"}`, i))
		}
		return strings.Join(all, ",")
	}
	const whatsapp, tpl, act = "whatsapp", "whatsapp.template", "whatsapp.interactive"
	for name, tc := range map[string]struct{ body, field string }{
		"by SMS":                     {strings.Replace(form(aTemplate), `"whatsapp","message"`, `"sms","message"`, 1), whatsapp},
		"by email":                   {`{"to":"a@example.com","channel":"email","message":"x","whatsapp":` + aTemplate + `}`, whatsapp},
		"both":                       {form(strings.TrimSuffix(aTemplate, "}") + "," + strings.TrimPrefix(aList, "{")), whatsapp},
		"no text":                    {strings.Replace(form(aTemplate), `"message":"Votre colis arrive.",`, "", 1), "message"},
		"a picture, but no text":     {strings.Replace(form(aTemplate), `"message":"Votre colis arrive."`, `"mediaUrl":"https://example.com/a.png"`, 1), "message"},
		"a text":                     {form(`"x"`), whatsapp},
		"no name":                    {form(`{"template":{"language":"fr"}}`), tpl + ".name"},
		"a name with capitals":       {form(`{"template":{"name":"Order","language":"fr"}}`), tpl + ".name"},
		"an unknown category":        {template(`,"category":"promo"`), tpl + ".category"},
		"a category of a wrong type": {template(`,"category":7`), tpl + ".category"},
		"no language":                {form(`{"template":{"name":"a"}}`), tpl + ".language"},
		"an unknown language":        {form(`{"template":{"name":"a","language":"français"}}`), tpl + ".language"},
		"two headers":                {strings.TrimSuffix(template(`,"header":"x"`), "}") + `,"mediaUrl":"https://example.com/a.png"}`, tpl + ".header"},
		"a long header":              {template(`,"header":` + long(61)), tpl + ".header"},
		"body and named":             {template(`,"body":["x"],"named":{"x":"y"}`), tpl + ".named"},
		"an empty value":             {template(`,"body":["x",""]`), tpl + ".body[1]"},
		"a value in two lines":       {template(`,"body":["x\ny"]`), tpl + ".body[0]"},
		"a value with a hole":        {template(`,"body":["x     y"]`), tpl + ".body[0]"},
		"a long value":               {template(`,"body":[` + long(1025) + `]`), tpl + ".body[0]"},
		"a name for a place":         {template(`,"named":{"É":"y"}`), tpl + ".named"},
		"a header's name alone":      {template(`,"headerName":"x"`), tpl + ".headerName"},
		"a header's name, and body":  {template(`,"header":"x","headerName":"x","body":["y"]`), tpl + ".headerName"},
		"a header without its name":  {template(`,"header":"x","named":{"x":"y"}`), tpl + ".headerName"},
		"a bad name for a header":    {template(`,"header":"x","headerName":"É"`), tpl + ".headerName"},
		"an eleventh button":         {template(`,"buttons":[{"index":10,"type":"url","value":"x"}]`), tpl + ".buttons[0].index"},
		"a button twice":             {template(`,"buttons":[{"index":0,"type":"url","value":"x"},{"index":0,"type":"url","value":"x"}]`), tpl + ".buttons[1].index"},
		"an unknown button":          {template(`,"buttons":[{"index":0,"type":"call","value":"x"}]`), tpl + ".buttons[0].type"},
		"a button without a value":   {template(`,"buttons":[{"index":0,"type":"url"}]`), tpl + ".buttons[0].value"},
		"nothing to press":           {interactive(`"header":"x"`), act},
		"two things to press":        {interactive(buttons + `,"link":{"title":"x","url":"https://example.com"}`), act},
		"buttons in a group":         {form(`{"interactive":{`+buttons+`}}`, `,"groupId":"120363000000000001@g.us"`), "groupId"},
		"four buttons":               {interactive(`"buttons":[` + rows(4) + `]`), act + ".buttons"},
		"a button without a title":   {interactive(`"buttons":[{"id":"1"}]`), act + ".buttons[0].title"},
		"a long title":               {interactive(`"buttons":[{"id":"1","title":` + long(21) + `}]`), act + ".buttons[0].title"},
		"a button without an id":     {interactive(`"buttons":[{"title":"x"}]`), act + ".buttons[0].id"},
		"an id with spaces":          {interactive(`"buttons":[{"id":" 1","title":"x"}]`), act + ".buttons[0].id"},
		"an id twice":                {interactive(`"buttons":[{"id":"1","title":"x"},{"id":"1","title":"y"}]`), act + ".buttons"},
		"a long text above buttons":  {`{"to":"22376000001","channel":"whatsapp","message":` + long(1025) + `,"whatsapp":{"interactive":{` + buttons + `}}}`, "message"},
		"a long footer":              {interactive(buttons + `,"footer":` + long(61)), act + ".footer"},
		"a header and a picture":     {form(`{"interactive":{`+buttons+`,"header":"x"}}`, `,"mediaUrl":"https://example.com/a.png"`), act + ".header"},
		"a list without a button":    {interactive(`"list":{"sections":[{"rows":[` + rows(1) + `]}]}`), act + ".list.button"},
		"a list of nothing":          {interactive(`"list":{"button":"x","sections":[]}`), act + ".list.sections"},
		"a section of nothing":       {interactive(`"list":{"button":"x","sections":[{"rows":[]}]}`), act + ".list.sections[0].rows"},
		"sections without titles":    {interactive(`"list":{"button":"x","sections":[{"rows":[` + rows(1) + `]},{"rows":[` + rows(1) + `]}]}`), act + ".list.sections[0].title"},
		"eleven rows":                {interactive(`"list":{"button":"x","sections":[{"rows":[` + rows(11) + `]}]}`), act + ".list.sections"},
		"a row's id twice":           {interactive(`"list":{"button":"x","sections":[{"title":"a","rows":[` + rows(1) + `]},{"title":"b","rows":[` + rows(1) + `]}]}`), act + ".list.sections"},
		"a long description":         {interactive(`"list":{"button":"x","sections":[{"rows":[{"id":"1","title":"x","description":` + long(73) + `}]}]}`), act + ".list.sections[0].rows[0].description"},
		"a list with a picture":      {form(aList, `,"mediaUrl":"https://example.com/a.png"`), act + ".header"},
		"a bare list and a picture":  {form(`{"interactive":{"list":{"button":"x","sections":[{"rows":[`+rows(1)+`]}]}}}`, `,"mediaUrl":"https://example.com/a.png"`), "mediaUrl"},
		"a link to a script":         {interactive(`"link":{"title":"x","url":"javascript:alert(1)"}`), act + ".link.url"},
		"a link without a title":     {interactive(`"link":{"url":"https://example.com"}`), act + ".link.title"},
	} {
		if a := s.send(tc.body); a.status != 400 || a.text("code") != "invalid_request" || a.text("field") != tc.field {
			t.Errorf("%s: got %d %s, want invalid_request on %s", name, a.status, a.raw, tc.field)
		}
	}
	if n := len(s.Gateway.Calls()); n != 0 {
		t.Errorf("%d were sent", n)
	}
}
