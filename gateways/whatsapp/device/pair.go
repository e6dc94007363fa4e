package device

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"go.mau.fi/whatsmeow"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

// PairError is why a pairing failed.
type PairError struct {
	Reason string // of docs/gateway-protocol.md §9
	Text   string
}

func (e *PairError) Error() string { return e.Text }

// Why a pairing fails.
var (
	ErrOtherNumber = &PairError{"wrong_number", "the phone that has scanned the code has another number: it was refused, and nothing was stored"}
	ErrPasskey     = &PairError{"passkey_required", "WhatsApp wants this account's passkey to link a device, which only WhatsApp's own applications can give: " +
		"this number can't be linked here now (turn the passkey off in the phone's WhatsApp settings and try again, or use the Cloud API)"}
	ErrPairTimeout  = &PairError{"expired", "nobody has scanned the code in time"}
	ErrPairOutdated = &PairError{"outdated", "WhatsApp refuses this version of griot-whatsapp: install a newer one"}
	ErrCodeRefused  = &PairError{"code_refused", "WhatsApp gives no code for this number: try again later, or scan a QR code"}
	ErrPairRefused  = &PairError{"provider_failed", "WhatsApp has refused the pairing"}
	ErrPairLost     = &PairError{"provider_failed", "the connection to WhatsApp was lost"}
	ErrNoWhatsApp   = &PairError{"provider_failed", "WhatsApp can't be reached"}
)

// codeLifetime is for how long WhatsApp offers codes on a connection: one QR code for a minute, and five for 20 seconds.
const codeLifetime = 160 * time.Second

// PairConfig is what a pairing needs.
type PairConfig struct {
	Store  *wastore.Device // a new one
	Number string          // the number that is expected
	Code   bool            // by a code that is typed on the phone, instead of a QR code
	HTTP   *http.Client
	// Show shows what is to be scanned or typed, until a time. QR codes follow one another.
	Show func(what string, until time.Time)
	// Save stores the device that was linked. If it fails, the device is unlinked again.
	Save func(ctx context.Context, jid string) error
}

// pairing is one that is under way. A phone is linked, or the pairing is given up: never both.
type pairing struct {
	PairConfig
	client  *whatsmeow.Client
	decided atomic.Bool   // a phone is being linked, or the pairing is given up
	linked  chan error    // how linking a phone has ended
	jid     string        // of the device that was linked
	login   chan struct{} // the first login is over
}

// Pair links a new device to the number's phone, and returns once Save has stored it: if it can, after the first login, when
// WhatsApp has the keys that others need to write to it. It leaves no connection behind. The end of ctx is noticed until a phone is being linked, and not after.
func Pair(ctx context.Context, c PairConfig) error {
	p := &pairing{PairConfig: c, client: newClient(c.Store, c.HTTP), linked: make(chan error, 4), login: make(chan struct{}, 1)}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer p.client.Disconnect()
	defer context.AfterFunc(ctx, func() {
		if p.decided.CompareAndSwap(false, true) {
			stop()
		}
	})()
	p.client.PrePairCallback = func(jid types.JID, _, _ string) bool {
		return jid.User == c.Number && p.decided.CompareAndSwap(false, true)
	}
	p.client.AddEventHandlerWithSuccessStatus(p.handle)
	items, err := p.client.GetQRChannel(run)
	if err == nil && p.client.ConnectContext(run) != nil {
		err = ErrNoWhatsApp
	}
	if err == nil {
		err = p.show(run, items)
	}
	if run.Err() != nil {
		return ctx.Err()
	}
	return err
}

// handle takes note of what whatsmeow says. What people write meanwhile comes again, to the connection that stores it.
func (p *pairing) handle(event any) bool {
	switch e := event.(type) {
	case *events.PairSuccess:
		p.jid = e.ID.String() // whatsmeow clears its own when the first login is refused
		p.linked <- nil
	case *events.PairError:
		p.linked <- e.Error
	case *events.Connected, *events.Disconnected, *events.ConnectFailure, *events.LoggedOut, *events.TemporaryBan, *events.ClientOutdated:
		select {
		case p.login <- struct{}{}:
		default:
		}
	case *events.Message:
		return false
	}
	return true
}

// show shows codes until a phone is linked.
func (p *pairing) show(ctx context.Context, items <-chan whatsmeow.QRChannelItem) error {
	begun, asked := time.Now(), false
	for {
		select {
		case err := <-p.linked:
			switch {
			case err == nil:
				return p.finish(ctx)
			case errors.Is(err, whatsmeow.ErrPairRejectedLocally):
				return ErrOtherNumber
			default:
				return ErrPairRefused
			}
		case item, ok := <-items:
			switch {
			case ok && item.Event == whatsmeow.QRChannelEventCode && !p.Code:
				p.Show(item.Code, time.Now().Add(item.Timeout))
			case ok && item.Event == whatsmeow.QRChannelEventCode && asked: // a phone code holds for as long as the connection
			case ok && item.Event == whatsmeow.QRChannelEventCode:
				asked = true
				code, err := p.client.PairPhone(ctx, p.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
				if err != nil {
					return ErrCodeRefused
				}
				p.Show(code, begun.Add(codeLifetime))
			case ok && item.Event == whatsmeow.QRChannelEventPasskeyRequest:
				return ErrPasskey
			case ok && item.Event == whatsmeow.QRChannelClientOutdated.Event:
				return ErrPairOutdated
			case ok && (item.Event == whatsmeow.QRChannelSuccess.Event || item.Event == whatsmeow.QRChannelEventError):
				items = nil // linked says more
			case !p.decided.CompareAndSwap(false, true): // the codes have ended while a phone is being linked
				items = nil
			case ok && item.Event != whatsmeow.QRChannelTimeout.Event:
				return ErrPairRefused
			case time.Since(begun) < codeLifetime-10*time.Second:
				return ErrPairLost
			default:
				return ErrPairTimeout
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// finish waits for the first login, and stores the device. Where that login fails, whoever connects the device next sees why.
func (p *pairing) finish(ctx context.Context) error {
	timeout := time.NewTimer(loginTimeout)
	defer timeout.Stop()
	select {
	case <-p.login:
	case <-timeout.C:
	}
	err := p.Save(ctx, p.jid)
	if err != nil && p.client.Logout(ctx) != nil {
		err = errors.Join(err, errors.New("the phone still has the device: unlink it there"), p.Store.Delete(ctx))
	}
	return err
}
