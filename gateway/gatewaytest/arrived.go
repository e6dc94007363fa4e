package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// deliver sends a new message, which must be taken.
func (s Subject) deliver(n int) (attempt, error) {
	a, err := s.send(context.Background(), s.message(n))
	return a, errors.Join(err, a.accepted())
}

// arrived returns an error unless the far end has exactly the messages that were
// taken in the attempts, once for each attempt and as they were sent.
func (s Subject) arrived(attempts ...attempt) error {
	received := s.Far.Received()
	if len(received) != len(attempts) {
		return fmt.Errorf("%d messages have arrived, want %d: %+v", len(received), len(attempts), received)
	}
	for _, a := range attempts {
		found := false
		for i, r := range received {
			if found = a.is(r); found {
				received = append(received[:i:i], received[i+1:]...)
				break
			}
		}
		if !found {
			return fmt.Errorf("%+v, acknowledged as %q, is not among what has arrived: %+v", *a.out, a.ack.ProviderID, received)
		}
	}
	return nil
}

// is reports whether r is the message of the attempt, unharmed. What a far end isn't told doesn't count.
func (a attempt) is(r Received) bool {
	return r.To == a.out.To && strings.TrimSpace(r.Text) == a.out.Text &&
		r.Subject == a.out.Subject && strings.TrimSpace(r.HTML) == a.out.HTML &&
		r.Media.is(a.out.Media) &&
		(r.Ref == "" || r.Ref == a.out.Ref) &&
		(r.ProviderID == "" || a.ack.ProviderID == "" || r.ProviderID == a.ack.ProviderID)
}

// count returns how often the message of the attempt has arrived, whatever id the far end gave it.
func (a attempt) count() int {
	n := 0
	for _, r := range a.s.Far.Received() {
		if strings.TrimSpace(r.Text) == a.out.Text && r.To == a.out.To {
			n++
		}
	}
	return n
}
