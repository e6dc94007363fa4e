package device_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	wastore "go.mau.fi/whatsmeow/store"

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
