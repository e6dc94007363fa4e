package gatewaytest

import (
	"context"
	"errors"

	"example.com/griot/gateway"
)

// hasNoIDs reports whether people have no IDs on the channel, because it is not WhatsApp.
func hasNoIDs(s Subject) bool { return s.Channel != gateway.WhatsApp }

// checkNoIDs checks that a message for a WhatsApp ID is refused on another channel, so that nothing is sent to an empty
// number.
func checkNoIDs(s Subject) error {
	out := s.message(1)
	out.To, out.ToID = "", "ML.9001"
	a, err := s.send(context.Background(), out)
	return errors.Join(err, a.failed(gateway.Unreachable, gateway.Permanent), s.arrived())
}
