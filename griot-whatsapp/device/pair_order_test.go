package device

import (
	"context"
	"testing"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

// WhatsApp can refuse the first login before whatsmeow reports that the phone is linked, because whatsmeow reports
// the two from different goroutines. The device must still be stored, because the phone already has it. No server can
// force this order.
func TestPairing_StoresADeviceWhoseLoginFailedFirst(t *testing.T) {
	jid := types.NewJID("22376543210", types.DefaultUserServer)
	for name, failure := range map[string]any{
		"outdated": &events.ClientOutdated{}, "refused": &events.ConnectFailure{}, "removed": &events.LoggedOut{}, "banned": &events.TemporaryBan{}, "lost": &events.Disconnected{},
	} {
		saved := ""
		p := &pairing{events: make(chan any, 2), PairConfig: PairConfig{Save: func(_ context.Context, jid string) error {
			saved = jid
			return nil
		}}}
		p.decided.Store(true) // a phone is being linked
		p.events <- failure
		p.events <- &events.PairSuccess{ID: jid}
		if err := p.show(t.Context()); err != nil || saved != jid.String() {
			t.Errorf("%s: got %v, and %q is stored, want %s", name, err, saved, jid)
		}
	}
}
