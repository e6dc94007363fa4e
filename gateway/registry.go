package gateway

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"example.com/griot/internal/clock"
)

// Deps contains the dependencies of a driver.
type Deps struct {
	Name string // of the gateway, as configured
	Sink Sink
	Now  clock.Now
	Log  *slog.Logger
	// Connected is called with the result of each attempt to connect, which is nil if the connection works. It logs
	// outages. It can be nil.
	Connected func(err error)
	// ReceiptUnreadable counts a receipt whose message or status cannot be read. It can be nil.
	ReceiptUnreadable func()
	// Unhandled counts a report that the driver drops although it is genuine, with the reason, which comes from a small
	// set ([Unhandled]). The driver also logs it as a warning. It can be nil.
	Unhandled func(reason string)
}

// Reasons for dropped reports.
const (
	UnhandledUnreadable = "unreadable"      // it has another form than documented
	UnhandledNoSender   = "no_sender"       // it has neither a number nor an ID of a person
	UnhandledGroup      = "group"           // it belongs to a group and not to a conversation
	UnhandledKind       = "unknown_kind"    // Griot has no use for its kind
	UnhandledNumber     = "unknown_number"  // it is about a number that isn't configured
	UnhandledMessage    = "unknown_message" // it is a receipt of no message, after an hour
)

// Unhandled lists the reasons for dropped reports.
func Unhandled() []string {
	return []string{UnhandledUnreadable, UnhandledNoSender, UnhandledGroup, UnhandledKind, UnhandledNumber, UnhandledMessage}
}

// ConnectionReporter returns Connected, or a function that does nothing if Connected is nil.
func (d *Deps) ConnectionReporter() func(err error) {
	if d.Connected == nil {
		return func(error) {}
	}
	return d.Connected
}

// UnreadableCounter returns ReceiptUnreadable, or a function that does nothing if ReceiptUnreadable is nil.
func (d *Deps) UnreadableCounter() func() {
	if d.ReceiptUnreadable == nil {
		return func() {}
	}
	return d.ReceiptUnreadable
}

// UnhandledCounter returns Unhandled, or a function that does nothing if Unhandled is nil.
func (d *Deps) UnhandledCounter() func(reason string) {
	if d.Unhandled == nil {
		return func(string) {}
	}
	return d.Unhandled
}

// Driver opens gateways of one kind. The settings are specific to the kind. An unknown field is an error.
type Driver func(settings json.RawMessage, deps Deps) (Sender, error)

// Registry contains the drivers by kind.
type Registry map[string]Driver

// Kinds returns the registered kinds in alphabetical order.
func (r Registry) Kinds() []string { return slices.Sorted(maps.Keys(r)) }

// Open opens a gateway of a kind.
func (r Registry) Open(kind string, settings json.RawMessage, deps Deps) (Sender, error) {
	d, ok := r[kind]
	if !ok {
		return nil, fmt.Errorf("gateway %q: no driver of kind %q; there are %v", deps.Name, kind, r.Kinds())
	}
	s, err := d(settings, deps)
	if err != nil {
		return nil, fmt.Errorf("gateway %q (%s): %w", deps.Name, kind, err)
	}
	return s, nil
}
