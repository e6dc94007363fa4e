package phonetest

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // phones keep their keys in an SQLite file

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/internal/sessions"
)

// patience is the time limit of every wait.
const patience = 30 * time.Second

// Phone is one person's phone.
type Phone struct {
	Client *whatsmeow.Client
	Events chan any
	number string
}

// Store returns a whatsmeow store in an SQLite file.
func Store(t testing.TB) *sqlstore.Container {
	t.Helper()
	dsn := "file:" + filepath.Join(t.TempDir(), "phone.db") + "?_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)&_pragma=synchronous(OFF)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	c := sqlstore.NewWithDB(db, "sqlite", nil)
	if err := c.Upgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Client returns a client that connects to the server.
func Client(t testing.TB, s *fakewhatsapp.Server, device *store.Device) *Phone {
	t.Helper()
	p := &Phone{Client: whatsmeow.NewClient(device, nil), Events: make(chan any, 4096)}
	p.Client.EnableDecryptedEventBuffer = true
	h := fakewhatsapp.HTTPClient(s.Addr)
	p.Client.SetWebsocketHTTPClient(h)
	p.Client.SetPreLoginHTTPClient(h)
	p.Client.SetMediaHTTPClient(h)
	if device.ID != nil {
		guard(device)
	}
	p.Client.AddEventHandler(func(e any) {
		if _, ok := e.(*events.PairSuccess); ok { // it has its stores
			guard(device)
		}
		p.Events <- e
	})
	t.Cleanup(p.Client.Disconnect)
	return p
}

// guard keeps the sessions of a phone whole, as WhatsApp's own library does.
func guard(device *store.Device) {
	device.EventBuffer = forgetful{device.EventBuffer}
	sessions.New(device)
}

// forgetful is a buffer of decrypted messages that has none.
type forgetful struct{ store.EventBuffer }

// GetBufferedEvent implements [store.EventBuffer].
func (forgetful) GetBufferedEvent(context.Context, [32]byte) (*store.BufferedEvent, error) {
	return nil, nil //nolint:nilnil // whatsmeow wants this if there is none
}

// PutBufferedEvent implements [store.EventBuffer].
func (forgetful) PutBufferedEvent(context.Context, [32]byte, []byte, time.Time) error { return nil }

// DoDecryptionTxn implements [store.EventBuffer].
func (forgetful) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	return decrypt(ctx)
}

// ClearBufferedEventPlaintext implements [store.EventBuffer].
func (forgetful) ClearBufferedEventPlaintext(context.Context, [32]byte) error { return nil }

// New returns the phone of a person that the server knows. It is linked with a QR code.
func New(t testing.TB, s *fakewhatsapp.Server, number string) *Phone {
	t.Helper()
	return NewIn(t, s, Store(t), number)
}

// NewIn is like [New], with a store that several phones share.
func NewIn(t testing.TB, s *fakewhatsapp.Server, c *sqlstore.Container, number string) *Phone {
	t.Helper()
	p := Client(t, s, c.NewDevice())
	p.number = number
	if err := p.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	if err := s.ScanQR(Wait(t, p, func(*events.QR) bool { return true }).Codes[0], number); err != nil {
		t.Fatal(err)
	}
	Wait(t, p, func(*events.PairSuccess) bool { return true })
	Wait(t, p, func(*events.Connected) bool { return true })
	return p
}

// Wait returns the phone's next event of a type that matches.
func Wait[T any](t testing.TB, p *Phone, matches func(T) bool) T {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case e := <-p.Events:
			if x, ok := e.(T); ok && matches(x) {
				return x
			}
		case <-timeout:
			var none T
			t.Fatalf("no event %T came within %v", none, patience)
			return none
		}
	}
}

// Until waits until is returns true.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting for %s after %v", what, patience)
		}
	}
}

// Message returns the next message that the phone receives.
func (p *Phone) Message(t testing.TB) *events.Message {
	t.Helper()
	return Wait(t, p, func(m *events.Message) bool {
		return m.Message.GetSenderKeyDistributionMessage() == nil || Text(m.Message) != ""
	})
}

// Text returns the text of a message, or the caption of its attachment.
func Text(m *waE2E.Message) string {
	for _, text := range []string{
		m.GetConversation(), m.GetExtendedTextMessage().GetText(), m.GetImageMessage().GetCaption(), m.GetVideoMessage().GetCaption(), m.GetDocumentMessage().GetCaption(),
	} {
		if text != "" {
			return text
		}
	}
	return ""
}

// Send sends a text to a number and returns the message's ID.
func (p *Phone) Send(t testing.TB, to, text string) string {
	t.Helper()
	return p.SendMessage(t, to, Words(text))
}

// Words returns a message with a text.
func Words(text string) *waE2E.Message { return &waE2E.Message{Conversation: proto.String(text)} }

// SendMessage sends a message to a number and returns the message's ID.
func (p *Phone) SendMessage(t testing.TB, to string, m *waE2E.Message) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	sent, err := p.Client.SendMessage(ctx, types.NewJID(to, types.DefaultUserServer), m)
	if err != nil {
		t.Fatal(err)
	}
	return sent.ID
}

// Read sends a read receipt to the sender of a message.
func (p *Phone) Read(t testing.TB, m *events.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.Client.MarkRead(ctx, []types.MessageID{m.Info.ID}, time.Now(), m.Info.Chat, m.Info.Sender); err != nil {
		t.Fatal(err)
	}
}

// Reply returns a message that quotes another one.
func Reply(text string, to *events.Message) *waE2E.Message {
	return &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String(text), ContextInfo: &waE2E.ContextInfo{
		StanzaID: proto.String(to.Info.ID), Participant: proto.String(to.Info.Sender.ToNonAD().String()), QuotedMessage: to.Message,
	}}}
}
