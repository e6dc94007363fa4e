package device_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/store"
	"example.com/griot/griot-whatsapp/storetest"
)

const (
	ours = "22376543210"
	awa  = "22370000001"

	patience = 30 * time.Second
)

// handler records its calls, and refuses inbound messages while full is set.
type handler struct {
	inbound  chan device.Inbound
	receipts chan device.Receipt
	changes  chan device.Change
	full     atomic.Bool
	refused  chan struct{}

	revisions  chan device.Revision
	pairs      chan device.Person
	unreadable chan unreadable
	withdrawn  chan string
}

// unreadable is a call of Unreadable.
type unreadable struct {
	device.Inbound
	may bool
}

func (h *handler) Withdrawn(_ context.Context, id string) error {
	h.withdrawn <- id
	return nil
}

func (h *handler) Inbound(_ context.Context, m device.Inbound) error {
	if h.full.Load() {
		h.refused <- struct{}{}
		return errors.New("full")
	}
	h.inbound <- m
	return nil
}

func (h *handler) Receipt(_ context.Context, r device.Receipt) error {
	h.receipts <- r
	return nil
}

func (h *handler) Revised(_ context.Context, r device.Revision) error {
	h.revisions <- r
	return nil
}

func (h *handler) Paired(_ context.Context, pairs []device.Person) error {
	for _, p := range pairs {
		h.pairs <- p
	}
	return nil
}

func (h *handler) Unreadable(_ context.Context, m device.Inbound, may bool) {
	h.unreadable <- unreadable{m, may}
}

func (h *handler) Dropped(string) {}

func (h *handler) Changed(c device.Change) { h.changes <- c }

func (h *handler) Restricted(string, time.Time) {}
func (h *handler) Missed(error)                 {}

func next[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s came within %v", what, patience)
		panic("unreachable")
	}
}

// await waits for a state and returns it.
func (h *handler) await(t *testing.T, want device.State) device.Change {
	t.Helper()
	for {
		if c := next(t, h.changes, "state "+string(want)); c.State == want {
			return c
		}
	}
}

func server(t *testing.T) *fakewhatsapp.Server {
	t.Helper()
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.AddUser(ours, "900001")
	s.AddUser(awa, "100001")
	return s
}

func pair(t *testing.T, s *fakewhatsapp.Server, c device.PairConfig) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var saved string
	c.HTTP = fakewhatsapp.HTTPClient(s.Addr)
	if c.Save == nil {
		c.Save = func(_ context.Context, jid string) error {
			saved = jid
			return nil
		}
	}
	c.Linking = func(context.Context, string) error { return nil }
	err := device.Pair(ctx, c)
	return saved, err
}

// paired returns the stored device of a pairing by QR code.
func paired(t *testing.T, s *fakewhatsapp.Server) *wastore.Device {
	t.Helper()
	return pairedIn(t, s, storetest.New(t))
}

// pairedIn is like paired, in a store.
func pairedIn(t *testing.T, s *fakewhatsapp.Server, st *store.Store) *wastore.Device {
	t.Helper()
	jid, err := pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Show: func(text string, _ time.Time) {
		if err := s.ScanQR(text, ours); err != nil {
			t.Error(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := types.ParseJID(jid)
	if err != nil {
		t.Fatal(err)
	}
	d, err := st.Devices.GetDevice(t.Context(), parsed)
	if err != nil || d == nil {
		t.Fatalf("the device of %s is %v, %v, want the paired one", jid, d, err)
	}
	return d
}

// run connects a device and returns it with its handler.
func run(t *testing.T, s *fakewhatsapp.Server, store *wastore.Device) (*device.Device, *handler) {
	t.Helper()
	h := &handler{inbound: make(chan device.Inbound, 100), receipts: make(chan device.Receipt, 100), changes: make(chan device.Change, 100), refused: make(chan struct{}, 100), revisions: make(chan device.Revision, 100), pairs: make(chan device.Person, 100), unreadable: make(chan unreadable, 100), withdrawn: make(chan string, 100)}
	d := device.New(device.Config{
		Number: ours, Store: store, Handler: h, Gate: device.NewGate(time.Millisecond), HTTP: fakewhatsapp.HTTPClient(s.Addr),
		AckTimeout: time.Second, Log: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); d.Run(ctx) }()
	t.Cleanup(func() { cancel(); next(t, done, "end of Run") })
	h.await(t, device.Connected)
	return d, h
}

func send(t *testing.T, d *device.Device, m device.Message) *device.Failure {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, failure := d.Prepare(ctx, m)
	if failure != nil {
		return failure
	}
	return d.Deliver(ctx, p)
}

func TestDevice_SendsAndReceives(t *testing.T) {
	s := server(t)
	s.AddGroup(fakewhatsapp.Group{ID: "12036300001", Name: "Parents", Members: []string{awa, ours}, Admins: map[string]bool{ours: true}})
	d, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	id := device.MessageID(ours, "msg_1")

	if f := send(t, d, device.Message{ID: id, To: device.Person{Number: awa}, Text: "Bonjour"}); f != nil {
		t.Fatalf("sending failed: %+v", *f)
	}
	got := phone.Message(t)
	if got.Info.ID != id || phonetest.Text(got.Message) != "Bonjour" {
		t.Errorf("the phone got %q with id %s, want Bonjour and %s", phonetest.Text(got.Message), got.Info.ID, id)
	}
	if r := next(t, h.receipts, "receipt"); r.Status != "delivered" || r.MessageIDs[0] != id {
		t.Errorf("the receipt is %+v, want delivered of %s", r, id)
	}
	phone.Read(t, got)
	if r := next(t, h.receipts, "receipt"); r.Status != "read" || r.MessageIDs[0] != id {
		t.Errorf("the receipt is %+v, want read of %s", r, id)
	}

	written := phone.SendMessage(t, ours, phonetest.Reply("Oui", got))
	m := next(t, h.inbound, "message")
	if m.From.Number != awa || m.Text != "Oui" || m.ReplyTo != id || m.ID != written || m.Kind != "text" || m.DisplayName == "" {
		t.Errorf("the message is %+v, want Oui from %s in reply to %s", m, awa, id)
	}

	data := bytes.Repeat([]byte("x"), 100_000)
	if f := send(t, d, device.Message{ID: "3EB0MEDIA", To: device.Person{Number: awa}, Text: "Photo", Media: &device.Media{Data: data, MIMEType: "image/png"}}); f != nil {
		t.Fatalf("sending a picture failed: %+v", *f)
	}
	picture := phone.Message(t).Message.GetImageMessage()
	if down, err := phone.Client.Download(t.Context(), picture); err != nil || !bytes.Equal(down, data) || picture.GetCaption() != "Photo" {
		t.Errorf("the phone got %d bytes with caption %q, %v, want %d with Photo", len(down), picture.GetCaption(), err, len(data))
	}

	note, err := os.ReadFile("testdata/voice.ogg")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mime, want string
		data       []byte
		note       bool
	}{
		{"audio/ogg", "audio/ogg; codecs=opus", note, true},
		{"audio/mpeg", "audio/ogg; codecs=opus", note, true}, // its bytes count, and not its name
		{"audio/ogg", "audio/ogg", data, false},
	} {
		if f := send(t, d, device.Message{ID: "3EB0" + strconv.Itoa(len(tt.data)) + tt.mime, To: device.Person{Number: awa}, Media: &device.Media{Data: tt.data, MIMEType: tt.mime}}); f != nil {
			t.Fatalf("sending sound failed: %+v", *f)
		}
		sound := phone.Message(t).Message.GetAudioMessage()
		if sound.GetPTT() != tt.note || (sound.GetSeconds() == 3) != tt.note || sound.GetMimetype() != tt.want {
			t.Errorf("%s: the phone got a voice note: %v of %d s, %s, want %v of 3 s, %s", tt.mime, sound.GetPTT(), sound.GetSeconds(), sound.GetMimetype(), tt.note, tt.want)
		}
	}

	groups, f := d.Groups(t.Context())
	if f != nil || len(groups) != 1 || groups[0] != (device.Group{ID: "12036300001@g.us", Name: "Parents", Participants: 2, IsAdmin: true}) {
		t.Fatalf("groups are %+v, %+v, want Parents with two participants", groups, f)
	}
	if f := send(t, d, device.Message{ID: "3EB0GROUP", GroupID: groups[0].ID, Text: "Réunion"}); f != nil {
		t.Fatalf("sending to the group failed: %+v", *f)
	}
	if got := phone.Message(t); phonetest.Text(got.Message) != "Réunion" || !got.Info.IsGroup {
		t.Errorf("the phone got %q, want Réunion in a group", phonetest.Text(got.Message))
	}
}

func TestDevice_Failures(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	for _, tt := range []struct {
		name   string
		faults fakewhatsapp.Faults
		to     device.Message
		want   device.Failure
	}{
		{name: "nobody", to: device.Message{ID: "3EB01", To: device.Person{Number: "22379999999"}, Text: "x"}, want: device.Failure{Class: device.Unreachable, Code: "not_on_whatsapp"}},
		{name: "no group", to: device.Message{ID: "3EB02", GroupID: "../x", Text: "x"}, want: device.Failure{Class: device.Permanent, Code: "group_invalid"}},
		{
			name: "lost acknowledgment", faults: fakewhatsapp.Faults{DropAcks: true}, to: device.Message{ID: "3EB03", To: device.Person{Number: awa}, Text: "x"},
			want: device.Failure{Class: device.Unknown, Code: "acknowledgement_lost"},
		},
		{
			name: "too fast", faults: fakewhatsapp.Faults{AckError: 429}, to: device.Message{ID: "3EB04", To: device.Person{Number: awa}, Text: "x"},
			want: device.Failure{Class: device.RateLimited, Code: "slow_down", ProviderCode: "429", RetryAfter: 60},
		},
		{
			name: "timelock", faults: fakewhatsapp.Faults{AckError: 463}, to: device.Message{ID: "3EB05", To: device.Person{Number: awa}, Text: "x", Stranger: true},
			want: device.Failure{Class: device.Unreachable, Code: "reach_out_timelock", ProviderCode: "463"},
		},
	} {
		s.Set(tt.faults)
		if f := send(t, d, tt.to); f == nil || *f != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, f, tt.want)
		}
	}
	if c := h.await(t, device.Restricted); c.Until.Before(time.Now()) {
		t.Errorf("restricted until %v, want a time to come", c.Until)
	}
	s.Set(fakewhatsapp.Faults{})
	if f := send(t, d, device.Message{ID: "3EB06", To: device.Person{Number: awa}, Text: "réponse"}); f != nil {
		t.Errorf("a restricted number could not answer: %+v", *f)
	}
	phonetest.Wait(t, phone, func(m *events.Message) bool { return m.Info.ID == "3EB06" })
}

func TestDevice_IsNotRepeatedAfterADrop(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	phonetest.New(t, s, awa)
	s.Set(fakewhatsapp.Faults{DropOnMessage: true})
	if f := send(t, d, device.Message{ID: "3EB0DROP", To: device.Person{Number: awa}, Text: "x"}); f == nil || f.Class != device.Unknown {
		t.Errorf("the failure is %+v, want unknown", f)
	}
	s.Set(fakewhatsapp.Faults{})
	h.await(t, device.Disconnected)
	h.await(t, device.Connected)
	if f := send(t, d, device.Message{ID: "3EB0AFTER", To: device.Person{Number: awa}, Text: "x"}); f != nil {
		t.Errorf("sending after the drop failed: %+v", *f)
	}
	if n := s.Seen("3EB0DROP"); n != 1 {
		t.Errorf("WhatsApp saw the message %d times, want once", n)
	}
}

func TestDevice_HandsNothingOverTooLate(t *testing.T) {
	s := server(t)
	d, _ := run(t, s, paired(t, s))
	phonetest.New(t, s, awa)
	p, f := d.Prepare(t.Context(), device.Message{ID: "3EB0LATE", To: device.Person{Number: awa}, Text: "x"})
	if f != nil {
		t.Fatalf("preparing failed: %+v", *f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f := d.Deliver(ctx, p); f == nil || *f != (device.Failure{Class: device.Temporary, Code: "timeout"}) || s.Seen("3EB0LATE") != 0 {
		t.Errorf("the failure is %+v and WhatsApp saw it %d times, want timeout and never", f, s.Seen("3EB0LATE"))
	}
}

func TestDevice_AcknowledgesWhatIsStored(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	h.full.Store(true)
	phone.Send(t, ours, "ne te perds pas")
	next(t, h.refused, "refusal")
	if n := s.Waiting(ours); n == 0 {
		t.Error("WhatsApp was told that the message was stored")
	}
	h.full.Store(false)
	d.Reconnect()
	if m := next(t, h.inbound, "message"); m.Text != "ne te perds pas" {
		t.Errorf("the message is %q, want ne te perds pas", m.Text)
	}
}

func TestDevice_PlacesAndContacts(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	moussa := &waE2E.ContactMessage{DisplayName: proto.String("Moussa Keita"), Vcard: proto.String("BEGIN:VCARD\nVERSION:3.0\nFN:Moussa Keita\nTEL;type=CELL;waid=22370000002:+223 70 00 00 02\nEND:VCARD")}
	binta := &waE2E.ContactMessage{DisplayName: proto.String("Binta"), Vcard: proto.String("BEGIN:VCARD\nFN:Binta\nitem1.TEL:+22370000003\nEND:VCARD")}
	answer := &waE2E.ContextInfo{StanzaID: proto.String("3EB0A")}
	latitude, longitude := proto.Float64(12.6392), proto.Float64(-8.0029)
	for _, tt := range []struct {
		name, kind, text, replyTo string
		message                   *waE2E.Message
	}{
		{"a pin", "location", "12.6392,-8.0029", "", &waE2E.Message{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: latitude, DegreesLongitude: longitude}}},
		{"a named place", "location", "12.6392,-8.0029 Marché rose, Bamako", "3EB0A", &waE2E.Message{LocationMessage: &waE2E.LocationMessage{
			DegreesLatitude: latitude, DegreesLongitude: longitude, Name: proto.String("Marché rose"), Address: proto.String("Bamako"), ContextInfo: answer,
		}}},
		{"a live place", "location", "12.6392,-8.0029 J'arrive", "3EB0A", &waE2E.Message{LiveLocationMessage: &waE2E.LiveLocationMessage{
			DegreesLatitude: latitude, DegreesLongitude: longitude, Caption: proto.String("J'arrive"), ContextInfo: answer,
		}}},
		{"a card", "contacts", "Moussa Keita +22370000002", "", &waE2E.Message{ContactMessage: moussa}},
		{"two cards", "contacts", "Moussa Keita +22370000002, Binta +22370000003", "3EB0A", &waE2E.Message{ContactsArrayMessage: &waE2E.ContactsArrayMessage{
			DisplayName: proto.String("2 contacts"), Contacts: []*waE2E.ContactMessage{moussa, binta}, ContextInfo: answer,
		}}},
	} {
		phone.SendMessage(t, ours, tt.message)
		if m := next(t, h.inbound, tt.name); m.Kind != tt.kind || m.Text != tt.text || m.ReplyTo != tt.replyTo {
			t.Errorf("%s: %+v, want the %s %q in reply to %q", tt.name, m, tt.kind, tt.text, tt.replyTo)
		}
	}
}

// What a person does to an earlier message is reported, and is no message.
func TestDevice_EditsAndDeletions(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	chat := types.NewJID(ours, types.DefaultUserServer)
	written := phone.Send(t, ours, "Demain")
	next(t, h.inbound, "message")
	for name, tt := range map[string]struct {
		message *waE2E.Message
		want    device.Revision
	}{
		"an edit":                     {phone.Client.BuildEdit(chat, written, &waE2E.Message{Conversation: proto.String("Lundi")}), device.Revision{Kind: "text", Text: "Lundi"}},
		"an edit without its wrapper": {phone.Client.BuildEdit(chat, written, &waE2E.Message{Conversation: proto.String("Mardi")}).GetEditedMessage().GetMessage(), device.Revision{Kind: "text", Text: "Mardi"}},
		"an edit of a caption":        {phone.Client.BuildEdit(chat, written, &waE2E.Message{ImageMessage: &waE2E.ImageMessage{Caption: proto.String("Lundi")}}), device.Revision{Kind: "image", Text: "Lundi"}},
		"an edit without the caption": {phone.Client.BuildEdit(chat, written, &waE2E.Message{ImageMessage: &waE2E.ImageMessage{}}), device.Revision{Kind: "image"}},
		"a deletion":                  {phone.Client.BuildRevoke(chat, types.EmptyJID, written), device.Revision{Deleted: true}},
	} {
		tt.want.ID = phone.SendMessage(t, ours, tt.message)
		got := next(t, h.revisions, name)
		tt.want.From, tt.want.MessageID, tt.want.At = got.From, written, got.At
		if got != tt.want || got.From.Number != awa || got.At.IsZero() {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
	phone.Send(t, ours, "Merci")
	if m := next(t, h.inbound, "message"); m.Text != "Merci" {
		t.Errorf("the next message is %+v, want Merci", m)
	}
}
