package device

import (
	"context"
	"sync"
	"time"

	wastore "go.mau.fi/whatsmeow/store"
)

// sessions keeps sending and receiving apart. whatsmeow reads the sessions of a message's recipients, encrypts, and writes them
// back, and it does the same with the sender's session of a message that it decrypts. Nothing orders the two: the one that
// writes last would undo what the other has counted, and the next message with a repeated counter is dropped by the recipient
// without a word. It is safe for concurrent use.
type sessions struct {
	turn chan struct{} // held while sessions are read and not written back

	mu      sync.Mutex
	sending bool // the turn is held for a message that is being sent
}

func newSessions() *sessions { return &sessions{turn: make(chan struct{}, 1)} }

// begin waits for the turn.
func (s *sessions) begin(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// beginSending waits for the turn of a message that is being sent, which [sessions.endSending] ends.
func (s *sessions) beginSending(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending = true
	return nil
}

// endSending ends the turn of the message that is being sent, if it is held.
func (s *sessions) endSending() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending {
		s.sending = false
		<-s.turn
	}
}

// guard replaces the stores of a device. If the device has been used before, it replaces the earlier guard.
func (s *sessions) guard(device *wastore.Device) {
	if earlier, ok := device.Sessions.(*sessionStore); ok {
		device.Sessions = earlier.SessionStore
	}
	if earlier, ok := device.EventBuffer.(*decryptions); ok {
		device.EventBuffer = earlier.EventBuffer
	}
	device.Sessions, device.EventBuffer = &sessionStore{device.Sessions, s}, &decryptions{EventBuffer: device.EventBuffer, sessions: s}
}

// sessionStore is the store of sessions. whatsmeow reads many sessions only to send a message, and then writes them back.
type sessionStore struct {
	wastore.SessionStore
	sessions *sessions
}

// GetManySessions implements [wastore.SessionStore]. [Device.submit] ends the turn if whatsmeow writes nothing back.
func (s *sessionStore) GetManySessions(ctx context.Context, addresses []string) (map[string][]byte, error) {
	if err := s.sessions.beginSending(ctx); err != nil {
		return nil, err
	}
	found, err := s.SessionStore.GetManySessions(ctx, addresses)
	if err != nil {
		s.sessions.endSending()
	}
	return found, err
}

// PutManySessions implements [wastore.SessionStore].
func (s *sessionStore) PutManySessions(ctx context.Context, list map[string][]byte) error {
	defer s.sessions.endSending()
	return s.SessionStore.PutManySessions(ctx, list)
}

// decryptions is the buffer of decrypted messages, through which whatsmeow decrypts each message. It deletes the text of a
// message that was handled together with the next one, or after [clearAfter], because each transaction of its own takes as long
// as storing the message. After a crash, the text of the last one is deleted when WhatsApp brings it again, or after 14 days.
type decryptions struct {
	wastore.EventBuffer
	sessions *sessions

	mu      sync.Mutex
	handled [][32]byte // whose text is to be deleted
}

const (
	clearAfter = time.Second
	maxHandled = 100
)

// DoDecryptionTxn implements [wastore.EventBuffer].
func (d *decryptions) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	if err := d.sessions.begin(ctx); err != nil {
		return err
	}
	defer func() { <-d.sessions.turn }()
	handled := d.take()
	err := d.EventBuffer.DoDecryptionTxn(ctx, func(ctx context.Context) error {
		if err := d.clear(ctx, handled); err != nil {
			return err
		}
		return decrypt(ctx)
	})
	if err != nil {
		d.add(handled...)
	}
	return err
}

// ClearBufferedEventPlaintext implements [wastore.EventBuffer].
func (d *decryptions) ClearBufferedEventPlaintext(ctx context.Context, hash [32]byte) error {
	if first := d.add(hash); first {
		ctx := context.WithoutCancel(ctx)
		time.AfterFunc(clearAfter, func() {
			if handled := d.take(); d.clear(ctx, handled) != nil {
				d.add(handled...)
			}
		})
	}
	return nil
}

// add adds messages that were handled, and reports whether they are the only ones. It forgets the oldest if there are too many.
func (d *decryptions) add(handled ...[32]byte) (only bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handled = append(d.handled, handled...)
	d.handled = d.handled[max(len(d.handled)-maxHandled, 0):]
	return len(d.handled) == len(handled)
}

func (d *decryptions) take() [][32]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	handled := d.handled
	d.handled = nil
	return handled
}

func (d *decryptions) clear(ctx context.Context, handled [][32]byte) error {
	for _, hash := range handled {
		if err := d.EventBuffer.ClearBufferedEventPlaintext(ctx, hash); err != nil {
			return err
		}
	}
	return nil
}
