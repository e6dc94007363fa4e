package gatewaytest

import (
	"context"
	"errors"
	"fmt"

	"example.com/griot/gateway"
)

// checkID checks that a message for a WhatsApp ID reaches that ID, or is refused because the gateway sends only to
// addresses. It must never reach an empty address.
func checkID(s Subject) error {
	out := s.message(1)
	out.To, out.ToID = "", "ML.9001"
	a, err := s.send(context.Background(), out)
	if err != nil {
		return err
	}
	if a.err == nil && s.Channel == gateway.WhatsApp {
		for _, r := range s.Provider.Received() {
			if r.To != out.ToID {
				return fmt.Errorf("a message for the ID %s has arrived for %q", out.ToID, r.To)
			}
		}
		return nil
	}
	return errors.Join(a.failed(gateway.Unreachable, gateway.Permanent), s.arrived())
}
