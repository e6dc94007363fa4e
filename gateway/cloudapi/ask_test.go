package cloudapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/peertest"
)

func askAwa() *gateway.NumberRequest {
	return &gateway.NumberRequest{Ref: "ask_1", From: "+" + ourNumber, ToID: "ML.9001", Text: "Pour vous connecter, partagez votre numéro."}
}

func TestAskForNumber(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	g.noStatuses = true
	s, _ := g.open(nil)
	var asker gateway.NumberAsker = s
	ack, err := asker.AskForNumber(t.Context(), askAwa())
	if err != nil || ack.ProviderID == "" || ack.Recipient != "" {
		t.Errorf("%+v, %v", ack, err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{"messaging_product":"whatsapp","recipient_type":"individual","recipient":"ML.9001","type":"interactive","biz_opaque_callback_data":"ask_1",
 "interactive":{"type":"request_contact_info","body":{"text":"Pour vous connecter, partagez votre numéro."},"action":{"name":"request_contact_info"}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, g.lastPost()); diff != "" || len(g.Received()) != 1 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAskForNumber_Failures(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(nil)
	for want, change := range map[string]func(r *gateway.NumberRequest){
		"sender_down sender_unknown":      func(r *gateway.NumberRequest) { r.From = "22376000009" },
		"unreachable recipient_invalid":   func(r *gateway.NumberRequest) { r.ToID = "" },
		"unreachable recipient_invalid ":  func(r *gateway.NumberRequest) { r.ToID = "22370000001" },
		"unreachable recipient_invalid  ": func(r *gateway.NumberRequest) { r.ToID = "123456789012345@lid" },
		"permanent message_empty":         func(r *gateway.NumberRequest) { r.Text = "" },
		"permanent message_too_long":      func(r *gateway.NumberRequest) { r.Text = strings.Repeat("é", 1025) },
	} {
		r := askAwa()
		change(r)
		_, err := s.AskForNumber(t.Context(), r)
		wantFailure(t, err, strings.TrimSpace(want))
	}
	if len(g.Received()) != 0 {
		t.Error("a request was made")
	}
	for mode, want := range map[string]string{"code 131047": "permanent window_closed 131047", "code 190": "sender_down credentials_refused 190", "status 502": "unknown answer_unreadable HTTP 502", "garbled": "unknown answer_unreadable", peertest.Garbage: "unknown answer_lost"} {
		g.SetMode(mode)
		_, err := s.AskForNumber(t.Context(), askAwa())
		wantFailure(t, err, want)
	}
	g.SetMode("")
	if _, err := s.AskForNumber(t.Context(), &gateway.NumberRequest{From: ourNumber, ToID: "ML.ENT.7", Text: strings.Repeat("é", 1024)}); err != nil || g.lastPost()["recipient"] != "ML.ENT.7" {
		t.Errorf("%v", err)
	}
}

// A message to an ID goes to the recipient, never to a number.
func TestSend_ToID(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(map[string]any{"code_template": map[string]any{"name": "griot_code", "languages": map[string]any{"fr": "fr"}}})
	for _, id := range []string{"ML.9001", "ML.ENT.7", "AR.541112345678", "MX.525512345678", "BR.551187654321", "ML." + strings.Repeat("a", 128)} {
		out := messageTo("")
		out.ToID = id
		ack, err := s.Send(t.Context(), out)
		if posted := g.lastPost(); err != nil || ack.ProviderID == "" || ack.Recipient != "" || posted["recipient"] != id || posted["to"] != nil || posted["recipient_type"] != "individual" {
			t.Errorf("%s: %v %+v %+v", id, err, ack, posted)
		}
	}
	out := messageTo("22370000001")
	out.ToID = "ML.9001"
	if _, err := s.Send(t.Context(), out); err != nil || g.lastPost()["to"] != "+22370000001" || g.lastPost()["recipient"] != nil {
		t.Errorf("both: %v %+v", err, g.lastPost())
	}
	out = messageTo("")
	out.ToID, out.Template = "ML.9001", &gateway.Template{Name: "colis", Language: "fr"}
	if _, err := s.Send(t.Context(), out); err != nil || g.lastPost()["recipient"] != "ML.9001" {
		t.Errorf("a template: %v", err)
	}
	sent := len(g.Received())
	for want, change := range map[string]func(out *gateway.Outbound){
		"unreachable recipient_invalid":       func(out *gateway.Outbound) { out.ToID = "123456789012345@lid" },
		"unreachable recipient_invalid ":      func(out *gateway.Outbound) { out.ToID = "ml.9001" },
		"unreachable recipient_invalid  ":     func(out *gateway.Outbound) { out.ToID = "22370000001" },
		"unreachable recipient_invalid   ":    func(out *gateway.Outbound) { out.ToID = "" },
		"unreachable recipient_invalid    ":   func(out *gateway.Outbound) { out.To, out.ToID = "ML.9001", "" },
		"unreachable recipient_invalid     ":  func(out *gateway.Outbound) { out.To = "ML.9001" },
		"permanent recipient_number_required": func(out *gateway.Outbound) { out.Code = "041235" },
	} {
		out := messageTo("")
		out.ToID = "ML.9001"
		change(out)
		_, err := s.Send(t.Context(), out)
		wantFailure(t, err, strings.TrimSpace(want))
	}
	if len(g.Received()) != sent {
		t.Error("a request was made")
	}
}
