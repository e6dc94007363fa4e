package sessions

import (
	"context"
	"sync"
	"time"

	wastore "go.mau.fi/whatsmeow/store"
)

// decryptions is the buffer of decrypted messages, through which whatsmeow decrypts each message. It deletes the text of a
// message that was handled together with the next one, or after [clearAfter], because each transaction of its own takes as long
// as storing the message. After a crash, the text of the last one is deleted when WhatsApp brings it again, or after 14 days.
type decryptions struct {
	wastore.EventBuffer
	guard *Guard

	mu      sync.Mutex
	handled [][32]byte // whose text is to be deleted
}

const (
	clearAfter = time.Second
	maxHandled = 100
)

// GetBufferedEvent implements [wastore.EventBuffer]. whatsmeow decrypts a message next that isn't there. After a connection was
// lost, the same message can arrive again in the meantime.
func (d *decryptions) GetBufferedEvent(ctx context.Context, hash [32]byte) (found *wastore.BufferedEvent, err error) {
	late := d.guard.beginStep(ctx, bufferedEvent, func() (decrypts bool) {
		found, err = d.EventBuffer.GetBufferedEvent(ctx, hash)
		return err == nil && found == nil
	})
	if late != nil {
		return nil, late
	}
	return found, err
}

// DoDecryptionTxn implements [wastore.EventBuffer].
func (d *decryptions) DoDecryptionTxn(ctx context.Context, decrypt func(context.Context) error) error {
	if !d.guard.endStep(bufferedEvent) {
		if err := d.guard.begin(ctx); err != nil {
			return err
		}
	}
	w := &work{hasTurn: true, read: map[string][]byte{}}
	defer d.guard.endWork(w)
	handled := d.take()
	err := d.EventBuffer.DoDecryptionTxn(context.WithValue(ctx, workKey{}, w), func(ctx context.Context) error {
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
