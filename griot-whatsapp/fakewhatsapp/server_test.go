package fakewhatsapp_test

import (
	"bytes"
	"errors"
	"strconv"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

const (
	awa  = "22370000001"
	bako = "22370000002"
)

func start(t *testing.T) *fakewhatsapp.Server {
	t.Helper()
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.AddUser(awa, "100001")
	s.AddUser(bako, "100002")
	return s
}

func any0[T any](T) bool { return true }

func TestServer_DeliversAndReports(t *testing.T) {
	s := start(t)
	a, b := phonetest.New(t, s, awa), phonetest.New(t, s, bako)
	id := a.Send(t, bako, "bonjour")
	got := b.Message(t)
	if got.Message.GetConversation() != "bonjour" || got.Info.ID != id || got.Info.SenderAlt.User != awa {
		t.Errorf("got %q with id %s from %v, want bonjour, %s, %s", got.Message.GetConversation(), got.Info.ID, got.Info.SenderAlt, id, awa)
	}
	if r := phonetest.Wait(t, a, any0[*events.Receipt]); r.MessageIDs[0] != id || r.Type != types.ReceiptTypeInactive && r.Type != types.ReceiptTypeDelivered {
		t.Errorf("receipt is %v of %v, want a delivery of %s", r.Type, r.MessageIDs, id)
	}
	b.Read(t, got)
	phonetest.Wait(t, a, func(r *events.Receipt) bool { return r.Type == types.ReceiptTypeRead && r.MessageIDs[0] == id })

	b.Send(t, awa, "ça va ?")
	if got := a.Message(t); got.Message.GetConversation() != "ça va ?" {
		t.Errorf("the answer is %q, want ça va ?", got.Message.GetConversation())
	}
}

func TestServer_KeepsMediaAndGroups(t *testing.T) {
	s := start(t)
	s.AddGroup(fakewhatsapp.Group{ID: "12036300001", Name: "Parents", Members: []string{awa, bako}, Admins: map[string]bool{awa: true}})
	a, b := phonetest.New(t, s, awa), phonetest.New(t, s, bako)
	data := bytes.Repeat([]byte("x"), 100_000)
	a.SendAttachment(t, bako, phonetest.Attachment{Kind: whatsmeow.MediaImage, MIMEType: "image/png", Caption: "photo", Data: data})
	got, err := b.Client.Download(t.Context(), b.Message(t).Message.GetImageMessage())
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("downloaded %d bytes, %v, want %d", len(got), err, len(data))
	}
	groups, err := a.Client.GetJoinedGroups(t.Context())
	if err != nil || len(groups) != 1 || groups[0].Name != "Parents" || len(groups[0].Participants) != 2 {
		t.Fatalf("groups are %+v, %v, want Parents with two participants", groups, err)
	}
	if _, err := a.Client.SendMessage(t.Context(), groups[0].JID, &waE2E.Message{Conversation: proto.String("réunion")}); err != nil {
		t.Fatal(err)
	}
	if got := b.Message(t); !got.Info.IsGroup || got.Message.GetConversation() != "réunion" {
		t.Errorf("got %q, in a group: %v, want réunion in a group", got.Message.GetConversation(), got.Info.IsGroup)
	}
}

func TestServer_LinksByPhoneCode(t *testing.T) {
	s := start(t)
	p := phonetest.Client(t, s, phonetest.Store(t).NewDevice())
	if err := p.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	phonetest.Wait(t, p, any0[*events.QR])
	code, err := p.Client.PairPhone(t.Context(), awa, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.EnterCode(code, awa); err != nil {
		t.Fatal(err)
	}
	phonetest.Wait(t, p, any0[*events.PairSuccess])
	phonetest.Wait(t, p, any0[*events.Connected])
	if got := p.Client.Store.ID.User; got != awa {
		t.Errorf("linked to %s, want %s", got, awa)
	}
}

func TestServer_AsksForAPasskey(t *testing.T) {
	s := start(t)
	s.RequirePasskey(awa, `{"challenge":"AAAA","rpId":"whatsapp.com"}`)
	p := phonetest.Client(t, s, phonetest.Store(t).NewDevice())
	if err := p.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	if err := s.ScanQR(phonetest.Wait(t, p, any0[*events.QR]).Codes[0], awa); err != nil {
		t.Fatal(err)
	}
	if r := phonetest.Wait(t, p, any0[*events.PairPasskeyRequest]); r.PublicKey.RelyingPartID != "whatsapp.com" {
		t.Errorf("the passkey is for %q, want whatsapp.com", r.PublicKey.RelyingPartID)
	}
}

func TestServer_QueuesForWhoIsAway(t *testing.T) {
	s := start(t)
	a, b := phonetest.New(t, s, awa), phonetest.New(t, s, bako)
	a.Client.Disconnect()
	b.Send(t, awa, "es-tu là ?")
	if got := s.Waiting(awa); got != 1 {
		t.Errorf("%d stanzas wait, want 1", got)
	}
	if err := a.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	if got := a.Message(t); got.Message.GetConversation() != "es-tu là ?" {
		t.Errorf("got %q, want es-tu là ?", got.Message.GetConversation())
	}
}

func TestServer_FindsPeopleByBothSpellings(t *testing.T) {
	s := start(t)
	const canonical, other = "551187654321", "5511987654321"
	s.AddUser(canonical, "200001")
	s.AddSpelling(canonical, other)
	a := phonetest.New(t, s, awa)
	number, id := types.NewJID(canonical, types.DefaultUserServer), types.NewJID("200001", types.HiddenUserServer)
	for _, tt := range []struct {
		name, asked string
		faults      fakewhatsapp.Faults
		want        types.IsOnWhatsAppResponse
	}{
		{"the first number", canonical, fakewhatsapp.Faults{}, types.IsOnWhatsAppResponse{JID: id, PhoneNumber: number, IsIn: true}},
		{"the other one", other, fakewhatsapp.Faults{}, types.IsOnWhatsAppResponse{JID: id, PhoneNumber: number, IsIn: true}},
		{"nobody's", "5511999999999", fakewhatsapp.Faults{}, types.IsOnWhatsAppResponse{JID: types.NewJID("5511999999999", types.DefaultUserServer)}},
		{"without numbers", other, fakewhatsapp.Faults{HideNumbers: true}, types.IsOnWhatsAppResponse{JID: id, IsIn: true}},
		{"without ids", other, fakewhatsapp.Faults{HideIDs: true}, types.IsOnWhatsAppResponse{JID: number, IsIn: true}},
	} {
		s.Set(tt.faults)
		tt.want.Query = "+" + tt.asked
		before := s.Lookups(tt.asked)
		got, err := a.Client.IsOnWhatsApp(t.Context(), []string{"+" + tt.asked})
		if err != nil || len(got) != 1 || got[0] != tt.want || s.Lookups(tt.asked) != before+1 {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
	s.Set(fakewhatsapp.Faults{})
	info, err := a.Client.GetUserInfo(t.Context(), []types.JID{number, types.NewJID(other, types.DefaultUserServer)})
	if err != nil || info[number].LID != id || !info[types.NewJID(other, types.DefaultUserServer)].LID.IsEmpty() {
		t.Errorf("by id: %+v, %v, want only %s", info, err, number)
	}
	s.Set(fakewhatsapp.Faults{Refuse: map[fakewhatsapp.Query]int{fakewhatsapp.Lookups: 429}})
	if _, err := a.Client.IsOnWhatsApp(t.Context(), []string{"+" + other}); !errors.Is(err, whatsmeow.ErrIQRateOverLimit) {
		t.Errorf("refused with %v, want %v", err, whatsmeow.ErrIQRateOverLimit)
	}
}

func TestServer_Faults(t *testing.T) {
	s := start(t)
	a := phonetest.New(t, s, awa)
	phonetest.New(t, s, bako)
	to, text := types.NewJID(bako, types.DefaultUserServer), &waE2E.Message{Conversation: proto.String("x")}
	send := func(id string) error {
		_, err := a.Client.SendMessage(t.Context(), to, text, whatsmeow.SendRequestExtra{ID: id, Timeout: 500 * time.Millisecond})
		return err
	}
	s.Set(fakewhatsapp.Faults{AckError: 463})
	if err := send("3EB01"); err == nil || err.Error() != "server returned error 463" {
		t.Errorf("error is %v, want server returned error 463", err)
	}
	s.Set(fakewhatsapp.Faults{DropAcks: true})
	if err := send("3EB02"); err != whatsmeow.ErrMessageTimedOut || s.Seen("3EB02") != 1 { //nolint:errorlint // whatsmeow returns it bare
		t.Errorf("error is %v and the message was seen %d times, want a timeout and once", err, s.Seen("3EB02"))
	}
	s.Set(fakewhatsapp.Faults{})
	s.Kick(awa, nil)
	phonetest.Wait(t, a, any0[*events.Disconnected])
	phonetest.Wait(t, a, any0[*events.Connected])
	s.Kick(awa, fakewhatsapp.Replaced())
	phonetest.Wait(t, a, any0[*events.StreamReplaced])
	for want, failure := range map[string]fakewhatsapp.Failure{
		"outdated": {Reason: 405}, "banned for a while": {Reason: 402, Expire: time.Hour},
	} {
		a.Client.Disconnect()
		s.Set(fakewhatsapp.Faults{ConnectFailure: &failure})
		if err := a.Client.Connect(); err != nil {
			t.Fatal(err)
		}
		switch failure.Reason {
		case 405:
			phonetest.Wait(t, a, any0[*events.ClientOutdated])
		case 402:
			if got := phonetest.Wait(t, a, any0[*events.TemporaryBan]); got.Expire != time.Hour {
				t.Errorf("%s until %v, want an hour", want, got.Expire)
			}
		}
	}
	a.Client.Disconnect()
	s.Set(fakewhatsapp.Faults{})
	if err := a.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	phonetest.Wait(t, a, any0[*events.Connected])
	s.Kick(awa, fakewhatsapp.Removed())
	phonetest.Wait(t, a, any0[*events.LoggedOut])
}

// Devices that come back get their queue in order, before what is sent to them in the meantime.
func TestServer_KeepsOrder(t *testing.T) {
	s := start(t)
	a, b := phonetest.New(t, s, awa), phonetest.New(t, s, bako)
	b.Send(t, awa, "bonjour")
	a.Message(t)
	a.Client.Disconnect()
	const n = 40
	for i := range n {
		b.Send(t, awa, strconv.Itoa(i))
	}
	go func() {
		for i := range n {
			b.Send(t, awa, strconv.Itoa(n+i))
		}
	}()
	if err := a.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * n {
		if got := a.Message(t).Message.GetConversation(); got != strconv.Itoa(i) {
			t.Fatalf("got %s, want %d", got, i)
		}
	}
}

// A person who links another device gets what is sent after that, and the server knows what was lost with the old one.
func TestServer_TellsFates(t *testing.T) {
	s := start(t)
	a, b := phonetest.New(t, s, awa), phonetest.New(t, s, bako)
	fate := func(id string, want fakewhatsapp.Fate) {
		t.Helper()
		phonetest.Until(t, "the message's fate", func() bool { return s.Fate(awa, "message", id) == want })
	}
	fate("3EB0", fakewhatsapp.Unseen)
	id := b.Send(t, awa, "un")
	a.Message(t)
	fate(id, fakewhatsapp.Acknowledged)
	a.Client.Disconnect()
	id = b.Send(t, awa, "deux")
	fate(id, fakewhatsapp.Queued)
	s.Unlink(awa)
	fate(id, fakewhatsapp.Gone)
	again := phonetest.New(t, s, awa)
	phonetest.Until(t, "the new device", func() bool { return s.Waiting(bako) == 0 })
	id = b.Send(t, awa, "trois")
	if got := again.Message(t); got.Info.ID != id {
		t.Errorf("got %s, want %s", got.Info.ID, id)
	}
	fate(id, fakewhatsapp.Acknowledged)
}
