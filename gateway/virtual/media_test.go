package virtual_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

func receipt(data string) *gateway.Media {
	return &gateway.Media{URL: "https://files.example.org/recu.pdf?v=1", Data: []byte(data), MIMEType: "application/pdf", FileName: "reçu n° 7.pdf"}
}

func TestMedia_ShowsOnThePhone(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(aissata)
		out.Media, out.Text = receipt("%PDF-1.7"), ""
		g.send(out)
		group := outbound("")
		group.GroupID, group.Media = family, receipt("")
		group.Media.MIMEType = "image/png"
		g.send(group)
		sum := sha256.Sum256([]byte("%PDF-1.7"))
		want := object{
			"mediaUrl": "https://files.example.org/recu.pdf?v=1", "mimeType": "application/pdf", "fileName": "reçu n° 7.pdf",
			"mediaSize": 8.0, "mediaSha256": hex.EncodeToString(sum[:]), "type": "document", "text": nil,
		}
		got := g.messages(aissata)[0]
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s is %v, want %v", name, got[name], value)
			}
		}
		if got := g.messages(family)[0]; got["type"] != "image" || got["mediaSize"] != 0.0 || got["text"] != "Bonjour" {
			t.Errorf("in the group: %v", got)
		}
		if again := g.send(out); again.ProviderID != g.messages(aissata)[0]["id"] || len(g.messages(aissata)) != 1 {
			t.Error("the attachment comes twice")
		}
	})
}

func TestMedia_SealedInFile(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	plain, sensitive := outbound(aissata), outbound(aissata)
	plain.Media, sensitive.Media, sensitive.Sensitive = receipt("a"), receipt("b"), true
	sensitive.Media.FileName, sensitive.Media.URL = "ordonnance.pdf", "https://files.example.org/ordonnance"
	g.send(plain)
	g.send(sensitive)
	before := g.messages(aissata)
	g.reopen()
	if diff := cmp.Diff(before, g.messages(aissata)); diff != "" || before[1]["fileName"] != "ordonnance.pdf" || before[0]["fileName"] != "reçu n° 7.pdf" {
		t.Error(diff, before)
	}
	files, err := filepath.Glob(g.options.Path + "*")
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte("ordonnance")) {
			t.Errorf("%s holds the name of a sensitive attachment", name)
		}
		seen = seen || bytes.Contains(content, []byte("recu.pdf"))
	}
	if !seen {
		t.Error("the test doesn't find a plain address in the file")
	}
}

// Phones show buttons and templates on WhatsApp; other channels have the text only.
func TestForms(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		pressed, secret, approved, bySMS := outbound(aissata), outbound(aissata), outbound(aissata), outbound(aissata)
		pressed.Interactive = &gateway.Interactive{Header: "Colis", Buttons: []gateway.Choice{{ID: "1", Title: "Oui"}}}
		secret.Interactive, secret.Sensitive = &gateway.Interactive{Link: &gateway.Link{Title: "Suivre", URL: "https://example.org/kora"}}, true
		approved.Template = &gateway.Template{Name: "colis", Language: "fr", Body: []string{"Awa"}}
		bySMS.Channel, bySMS.Template = gateway.SMS, approved.Template
		for out, form := range map[*gateway.Outbound]string{pressed: "", secret: "", approved: "template colis", bySMS: ""} {
			if ack := g.send(out); ack.Form != form {
				t.Errorf("Form is %q, want %q", ack.Form, form)
			}
		}
		check := func() {
			t.Helper()
			got := map[any]object{}
			for _, m := range g.messages(aissata) {
				got[m["reference"]] = m
			}
			for ref, want := range map[string]object{
				pressed.Ref:  {"interactive": map[string]any{"header": "Colis", "buttons": []any{map[string]any{"id": "1", "title": "Oui"}}}, "template": nil},
				secret.Ref:   {"interactive": map[string]any{"link": map[string]any{"title": "Suivre", "url": "https://example.org/kora"}}, "template": nil},
				approved.Ref: {"interactive": nil, "template": map[string]any{"name": "colis", "language": "fr", "body": []any{"Awa"}}},
				bySMS.Ref:    {"interactive": nil, "template": nil},
			} {
				shown := object{"interactive": got[ref]["interactive"], "template": got[ref]["template"]}
				if diff := cmp.Diff(want, shown); diff != "" || got[ref]["text"] != "Bonjour" || got[ref]["type"] != "text" {
					t.Errorf("%v: %s", got[ref], diff)
				}
			}
		}
		check()
		if g.options.Path == "" {
			return
		}
		g.reopen()
		check()
		for _, name := range []string{"", "-wal"} {
			if content, err := os.ReadFile(g.options.Path + name); err == nil && bytes.Contains(content, []byte("kora")) {
				t.Errorf("%s holds the link of a sensitive message", name)
			}
		}
	})
}

func TestMedia_OpensOldFile(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	g.send(outbound(aissata))
	g.sink.Refuse(1)
	g.ok("POST", "/dev/phones/"+aissata+"/messages", inboundBody)
	before := g.messages(aissata)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	old, err := db.Open(context.Background(), "sqlite:"+g.options.Path)
	if err != nil {
		t.Fatal(err)
	}
	err = old.Write(context.Background(), func(tx *db.Tx) error { // a file of a version without attachments
		_, err := tx.Exec(`DROP TABLE extras`)
		return err
	})
	if err = errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	g.open()
	if diff := cmp.Diff(before, g.messages(aissata)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	g.run()
	g.wait("the phone's message", func() bool { return len(g.sink.Messages()) == 1 })
	out := outbound(aissata)
	out.Media = receipt("x")
	g.send(out)
	if got := g.messages(aissata); len(got) != 3 || got[2]["fileName"] != "reçu n° 7.pdf" {
		t.Errorf("%v", got)
	}
}

func TestMedia_Inbound(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		write := func(members object) object {
			members["channel"], members["to"] = "whatsapp", ourNumber
			body, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			return g.ok("POST", "/dev/phones/"+aissata+"/messages", string(body))
		}
		g.run()
		g.sink.Refuse(1) // so that it is read from the store
		got := write(object{"mediaUrl": "https://files.example.org/a.jpg", "mimeType": "image/jpeg", "fileName": "a.jpg"})
		if got["type"] != "image" || got["fileName"] != "a.jpg" || got["mediaSize"] != nil || got["text"] != nil {
			t.Errorf("%v", got)
		}
		g.wait("the picture", func() bool { return len(g.sink.Messages()) == 1 })
		write(object{"type": "location", "text": "13.5,-2.1 Ségou"})
		write(object{"type": "sticker", "mediaUrl": "http://127.0.0.1/s", "text": "😀"})
		write(object{"mediaUrl": "https://files.example.org/b"})
		var in []gateway.Inbound
		for _, m := range g.sink.Messages() {
			in = append(in, gateway.Inbound{Type: m.Type, Text: m.Text, MediaURL: m.MediaURL, MIMEType: m.MIMEType, FileName: m.FileName})
		}
		want := []gateway.Inbound{
			{Type: gateway.InboundImage, MediaURL: "https://files.example.org/a.jpg", MIMEType: "image/jpeg", FileName: "a.jpg"},
			{Type: gateway.InboundLocation, Text: "13.5,-2.1 Ségou"},
			{Type: gateway.InboundSticker, MediaURL: "http://127.0.0.1/s", Text: "😀"},
			{Type: gateway.InboundDocument, MediaURL: "https://files.example.org/b"},
		}
		if diff := cmp.Diff(want, in); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if shown := g.messages(aissata); len(shown) != 4 || shown[1]["type"] != "location" || shown[2]["mediaUrl"] != "http://127.0.0.1/s" {
			t.Errorf("the phone's own list: %v", shown)
		}
	})
}

func TestMedia_InboundRefused(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	const url = `"mediaUrl":"https://files.example.org/a"`
	for members, code := range map[string]string{
		`"text":"x","type":"song"`:                                     "invalid_type",
		`"text":"x","type":"text",` + url:                              "invalid_type",
		`"text":"x","type":"image","channel":"sms","to":"22320000002"`: "invalid_type",
		`"channel":"sms","to":"22320000002",` + url:                    "invalid_type",
		`"type":"image"`:                                               "invalid_text",
		`"text":"x","mediaUrl":"ftp://files.example.org/a"`:            "invalid_media",
		`"text":"x","mediaUrl":"https:///a"`:                           "invalid_media",
		`"text":"x","mediaUrl":"javascript:alert(1)"`:                  "invalid_media",
		`"text":"x","mimeType":"image/png"`:                            "invalid_media",
		`"text":"x","fileName":"a"`:                                    "invalid_media",
		`"text":"x","mimeType":"png",` + url:                           "invalid_media",
		`"fileName":"` + strings.Repeat("a", 256) + `",` + url:         "invalid_media",
		`"text":"` + strings.Repeat("é", 4097) + `",` + url:            "invalid_text",
		`"mediaUrl":"https://a/` + strings.Repeat("a", 2048) + `"`:     "invalid_media",
	} {
		if !strings.Contains(members, "channel") {
			members += `,"channel":"whatsapp","to":"` + ourNumber + `"`
		}
		if status, answer := g.call("POST", "/dev/phones/"+aissata+"/messages", "{"+members+"}"); status != 400 || answer["error"] != code {
			t.Errorf("%.60s: %d, %v; want %s", members, status, answer, code)
		}
	}
	if n := len(g.sink.Messages()); n != 0 {
		t.Errorf("%d messages came in", n)
	}
}

func TestGroups_AreThoseOfTheSender(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		for from, admin := range map[string]bool{ourNumber: true, "22320000003": false} {
			got, err := g.Groups(context.Background(), from)
			if diff := cmp.Diff([]gateway.Group{{ID: family, Name: "Family", Participants: 4, IsAdmin: admin}}, got); err != nil || diff != "" {
				t.Errorf("%s: %v, %s", from, err, diff)
			}
		}
		if got, err := g.Groups(context.Background(), "22320000009"); err != nil || len(got) != 0 {
			t.Errorf("a number without groups: %v, %v", got, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := g.Groups(ctx, ourNumber); gateway.AsError(err).Class != gateway.Temporary {
			t.Errorf("with an ended context: %v", err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Groups(context.Background(), ourNumber); gateway.AsError(err).Class != gateway.SenderDown {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestAttempts_OfLaterRoutes(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		base := outbound(aissata)
		others := []string{"-2", "-10", "-3", "-1", "-02", "-2-2", "-x", "2", ".2", "-"}
		g.send(base)
		for _, suffix := range others {
			out := *base
			out.Ref += suffix
			out.Channel = gateway.SMS
			g.send(&out)
		}
		again := *base
		again.Ref += "-2"
		g.send(&again)
		list := g.list("/dev/attempts/"+base.Ref, "attempts")
		want := []string{base.Ref, base.Ref + "-2", base.Ref + "-10", base.Ref + "-3", base.Ref + "-2"}
		if diff := cmp.Diff(want, members(list, "reference")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if list[1]["channel"] != "sms" || list[1]["outcome"] != "delivered" || list[4]["outcome"] != "duplicate" {
			t.Errorf("%v", list)
		}
		if got := members(g.list("/dev/attempts/"+base.Ref+"-3", "attempts"), "reference"); len(got) != 1 || got[0] != base.Ref+"-3" {
			t.Errorf("of a later reference alone: %v", got)
		}
		if n := len(g.messages(aissata)); n != 1+len(others) {
			t.Errorf("the phone has %d messages, want one for each reference", n)
		}
	})
}
