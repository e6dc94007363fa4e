package device_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/internal/db"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/storetest"
)

// slowSessions is a store of sessions that takes time, so that sending and receiving meet.
type slowSessions struct{ wastore.SessionStore }

func (s slowSessions) GetManySessions(ctx context.Context, addresses []string) (map[string][]byte, error) {
	defer time.Sleep(5 * time.Millisecond) // a slow database
	return s.SessionStore.GetManySessions(ctx, addresses)
}

func (s slowSessions) GetSession(ctx context.Context, address string) ([]byte, error) {
	defer time.Sleep(5 * time.Millisecond) // a slow database
	return s.SessionStore.GetSession(ctx, address)
}

// A person gets each message, also if they write while it is sent.
func TestDevice_SendsWhileSomeoneWrites(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		s := server(t)
		row := pairedIn(t, s, storetest.Open(t, address, storetest.Limits))
		row.Sessions = slowSessions{row.Sessions}
		d, h := run(t, s, row)
		phone := phonetest.New(t, s, awa)
		phone.Send(t, ours, "Bonjour")
		next(t, h.inbound, "message")
		const n = 40
		written := make(chan struct{})
		go func() {
			defer close(written)
			for i := range n {
				phone.Send(t, ours, fmt.Sprint("question ", i))
			}
		}()
		for i := range n {
			if f := send(t, d, device.Message{ID: device.MessageID(ours, fmt.Sprint("msg_", i)), To: device.Person{Number: awa}, Text: fmt.Sprint("answer ", i)}); f != nil {
				t.Fatalf("answer %d: %+v", i, *f)
			}
		}
		next(t, written, "the last question")
		for i := range n {
			if got := phonetest.Text(phone.Message(t).Message); got != fmt.Sprint("answer ", i) {
				t.Fatalf("the phone got %q, want answer %d", got, i)
			}
			if m := next(t, h.inbound, "message"); m.Text != fmt.Sprint("question ", i) {
				t.Fatalf("the device got %q, want question %d", m.Text, i)
			}
		}
	})
}

// A person gets each message once, also if their phone couldn't read many and asks for all of them while others are sent.
func TestDevice_RepeatsManyMessages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		s := server(t)
		row := pairedIn(t, s, storetest.Open(t, address, storetest.Limits))
		row.Sessions = slowSessions{row.Sessions}
		d, h := run(t, s, row)
		phone := phonetest.New(t, s, awa)
		phone.Send(t, ours, "Bonjour")
		next(t, h.inbound, "message")
		const n = 20
		answer := func(i int) {
			t.Helper()
			if f := send(t, d, device.Message{ID: device.MessageID(ours, fmt.Sprint("msg_", i)), To: device.Person{Number: awa}, Text: fmt.Sprint("answer ", i)}); f != nil {
				t.Fatalf("answer %d: %+v", i, *f)
			}
		}
		phone.Client.Disconnect()
		for i := range n {
			s.Garble(ours)
			answer(i)
		}
		if err := phone.Client.Connect(); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			answer(n + i)
		}
		got := map[string]bool{}
		for range 2 * n {
			text := phonetest.Text(phone.Message(t).Message)
			if got[text] {
				t.Errorf("the phone got %q twice", text)
			}
			got[text] = true
		}
	})
}

// If a person and the number write to each other for the first time at the same moment, both open a session. Each can read
// what the other one writes in either of them.
func TestDevice_BothOpenASession(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		s := server(t)
		row := pairedIn(t, s, storetest.Open(t, address, storetest.Limits))
		run(t, s, row)
		number, person := correspondent{t, whatsmeow.NewClient(row, nil)}, correspondent{t, phonetest.New(t, s, awa).Client}
		number.EnableDecryptedEventBuffer = true
		toPerson, toNumber := number.open(person, person), person.open(number, person)
		alsoToPerson := number.write(person)
		number.read(person, toNumber)
		inTheirs := number.write(person)
		person.read(number, toPerson)
		number.read(person, person.write(number))
		inOurs := number.write(person)
		person.read(number, alsoToPerson)
		person.read(number, inTheirs)
		number.read(person, person.write(number))
		person.read(number, inOurs)
		for range 3 {
			number.read(person, person.write(number))
			person.read(number, number.write(person))
		}
	})
}

// correspondent is a client whose messages the test passes on.
type correspondent struct {
	t *testing.T
	*whatsmeow.Client
}

// open opens a session with a message. online is connected to the server, which has the keys.
func (c correspondent) open(to, online correspondent) *waBinary.Node {
	c.t.Helper()
	keys := online.DangerousInternals().FetchPreKeysNoError(c.t.Context(), []types.JID{to.Store.LID})                                                   //nolint:staticcheck // the server would pass the messages on
	message, _, err := c.DangerousInternals().EncryptMessageForDevice(c.t.Context(), []byte("Bonjour\x01"), to.Store.LID, keys[to.Store.LID], nil, nil) //nolint:staticcheck // see above
	if err != nil {
		c.t.Fatal(err)
	}
	return message
}

// write encrypts a message, as SendMessage does.
func (c correspondent) write(to correspondent) *waBinary.Node {
	c.t.Helper()
	list, _, err := c.DangerousInternals().EncryptMessageForDevices(c.t.Context(), []types.JID{to.Store.LID}, "", []byte("Bonjour\x01"), nil, nil) //nolint:staticcheck // the server would pass the messages on
	if err != nil || len(list) != 1 {
		c.t.Fatalf("%d messages, %v, want one", len(list), err)
	}
	return &list[0].GetChildren()[0]
}

func (c correspondent) read(from correspondent, message *waBinary.Node) {
	c.t.Helper()
	opens := message.Attrs["type"] == "pkmsg"
	if _, _, err := c.DangerousInternals().DecryptDM(c.t.Context(), message, from.Store.LID, opens, time.Now()); err != nil { //nolint:staticcheck // the server would pass the messages on
		c.t.Error(err)
	}
}

// A message that is still being decrypted when the connection is lost, and is then not stored, is not lost.
func TestDevice_DecryptsWhileItReconnects(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		s := server(t)
		row := pairedIn(t, s, storetest.Open(t, address, storetest.Limits))
		pairs := &countedPairs{LIDStore: row.LIDs, shown: make(chan struct{}, 100)}
		slow := &heldBuffer{EventBuffer: row.EventBuffer, held: make(chan struct{}), release: make(chan struct{})}
		row.LIDs, row.EventBuffer = pairs, slow
		d, h := run(t, s, row)
		h.full.Store(true)
		phonetest.New(t, s, awa).Send(t, ours, "Bonjour")
		next(t, slow.held, "decryption")
		next(t, pairs.shown, "message")
		s.Kick(ours, nil)
		next(t, pairs.shown, "message again")
		close(slow.release)
		next(t, h.refused, "message that is not stored")
		h.full.Store(false)
		d.Reconnect()
		if m := next(t, h.inbound, "message"); m.Text != "Bonjour" {
			t.Errorf("it is %q", m.Text)
		}
	})
}

// countedPairs is a map of LIDs and numbers that tells of each message that shows a pair.
type countedPairs struct {
	wastore.LIDStore
	shown chan struct{}
}

func (c *countedPairs) PutLIDMapping(ctx context.Context, lid, number types.JID) error {
	defer func() { c.shown <- struct{}{} }()
	return c.LIDStore.PutLIDMapping(ctx, lid, number)
}

// heldBuffer is a buffer of decrypted messages that holds the first one.
type heldBuffer struct {
	wastore.EventBuffer
	once          sync.Once
	held, release chan struct{}
}

func (b *heldBuffer) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	b.once.Do(func() {
		close(b.held)
		<-b.release
	})
	return b.EventBuffer.DoDecryptionTxn(ctx, decrypt)
}

// The decrypted text of a message stays in the store for a second at most after the message was handled.
func TestDevice_DeletesDecryptedTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		s := server(t)
		_, h := run(t, s, pairedIn(t, s, storetest.Open(t, address, storetest.Limits)))
		raw, err := db.Open(t.Context(), address, storetest.Box(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = raw.Close() })
		count := func(where string) (n int) {
			if err := raw.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM whatsmeow_event_buffer WHERE `+where).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		phone := phonetest.New(t, s, awa)
		for i := range 3 {
			phone.Send(t, ours, fmt.Sprint(i))
			next(t, h.inbound, "message")
		}
		phonetest.Until(t, "the texts are deleted", func() bool { return count(`plaintext IS NOT NULL`) == 0 })
		if n := count(`plaintext IS NULL`); n != 3 {
			t.Errorf("%d handled messages are known, want 3", n)
		}
	})
}
