package gatewaytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/griot/gateway"
)

// deliver sends a new message, which the provider must accept.
func (s Subject) deliver(n int) (attempt, error) {
	a, err := s.send(context.Background(), s.message(n))
	return a, errors.Join(err, a.accepted())
}

// arrived returns an error unless the provider has received exactly the messages of the attempts, unchanged and once for each attempt.
func (s Subject) arrived(attempts ...attempt) error {
	received := s.Provider.Received()
	if len(received) != len(attempts) {
		return fmt.Errorf("%d messages have arrived, want %d: %+v", len(received), len(attempts), received)
	}
	for _, a := range attempts {
		found := false
		for i, r := range received {
			if found = a.matches(r); found {
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

// matches reports whether r is the attempt's message, unchanged. Fields that the provider does not get are ignored.
func (a attempt) matches(r Received) bool {
	return r.To == cmp.Or(a.out.To, a.out.ToID) && strings.TrimSpace(r.Text) == a.out.Text &&
		r.Subject == a.out.Subject && strings.TrimSpace(r.HTML) == a.out.HTML &&
		r.Media.matches(a.out.Media) && a.answers(r.ReplyTo) &&
		(r.Ref == "" || r.Ref == a.out.Ref) &&
		(r.ProviderID == "" || a.ack.ProviderID == "" || r.ProviderID == a.ack.ProviderID)
}

// answers reports whether a received message is a reply to the expected message. If the driver does not support
// replies, it must not be a reply.
func (a attempt) answers(to string) bool {
	of := a.out.ReplyTo
	if of == (gateway.Quote{}) || !a.s.Sender.Info().Replies {
		return to == ""
	}
	return to != "" && (to == of.Ref || to == of.ProviderID)
}

// arrivals returns the number of times that the attempt's message has arrived, under any ID.
func (a attempt) arrivals() int {
	n := 0
	for _, r := range a.s.Provider.Received() {
		if strings.TrimSpace(r.Text) == a.out.Text && r.To == a.out.To {
			n++
		}
	}
	return n
}
