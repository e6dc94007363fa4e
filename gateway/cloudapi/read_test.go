package cloudapi

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

// readMark accepts a read receipt.
func (g *fakeGraph) readMark(m map[string]any) peertest.Reply {
	id, _ := m["message_id"].(string)
	if m["messaging_product"] != "whatsapp" || len(m) != 3 || id == "" {
		g.t.Errorf("a read mark: %v", m)
	}
	if id == "wamid.gone" {
		return graphError(400, 131009, "Parameter value is not valid")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.readMarks = append(g.readMarks, id)
	return peertest.Reply{Status: 200, Body: `{"success":true}`}
}

func TestMarkRead(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s := gatewaytest.Open[*sender](t, Open, gatewaytest.NewEnvironment(), g.settings(nil))
	read := gateway.Read{Channel: gateway.WhatsApp, From: ourNumber, To: aissata, IDs: []string{"wamid.1", "wamid.2"}, At: time.Unix(1, 0)}
	if err := s.MarkRead(t.Context(), &read); err != nil || len(g.readMarks) != 1 || g.readMarks[0] != "wamid.2" {
		t.Errorf("%v, Meta was told %q, want the newest", err, g.readMarks)
	}
	for want, change := range map[string]func(*gateway.Read){
		"sender_down sender_unknown": func(r *gateway.Read) { r.From = "22376999999" },
		"permanent message_invalid":  func(r *gateway.Read) { r.IDs = nil },
		"permanent message_invalid ": func(r *gateway.Read) { r.Channel = gateway.SMS },
		"permanent request_refused":  func(r *gateway.Read) { r.IDs = []string{"wamid.gone"} },
	} {
		wrong := read
		change(&wrong)
		err := s.MarkRead(t.Context(), &wrong)
		failure := gateway.AsError(err)
		if got := string(failure.Class) + " " + failure.Code; got != want && got+" " != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
