package device

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.mau.fi/whatsmeow"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

// PairError is the reason why a pairing failed.
type PairError struct {
	Reason string // a reason of docs/gateway-protocol.md §9
	Text   string
}

func (e *PairError) Error() string { return e.Text }

// Reasons for a failed pairing.
var (
	ErrOtherNumber = &PairError{"wrong_number", "the phone that has scanned the code has another number: it was refused, and nothing was stored"}
	ErrPasskey     = &PairError{"passkey_required", "WhatsApp wants this account's passkey to link a device, which only WhatsApp's own applications can give: " +
		"remove the passkey on the phone (Settings, Account, Passkeys) and try again; " +
		"if the phone says that the account must have one, use it with griot-whatsapp pair, or try again in a few days"}
	ErrPasskeyFailed = &PairError{"passkey_failed", "WhatsApp wants this account's passkey to link a device, and its request can't be read, or it has refused the passkey: " +
		"remove the passkey on the phone (Settings, Account, Passkeys), or install a newer griot-whatsapp"}
	ErrPairTimeout  = &PairError{"expired", "nobody has scanned the code in time"}
	ErrPairOutdated = &PairError{"outdated", "WhatsApp refuses this version of griot-whatsapp: install a newer one"}
	ErrCodeRefused  = &PairError{"code_refused", "WhatsApp gives no code for this number: try again later, or scan a QR code"}
	ErrPairRefused  = &PairError{"provider_failed", "WhatsApp has refused the pairing"}
	ErrPairLost     = &PairError{"provider_failed", "the connection to WhatsApp was lost"}
	ErrNoWhatsApp   = &PairError{"provider_failed", "WhatsApp can't be reached"}
)

// Lifetimes of the codes, as in WhatsApp's own applications. WhatsApp closes the connection after the last code.
const (
	firstQRTime = time.Minute // of the first of six codes; with fewer codes, the first lasts as long as the others
	nextQRTime  = 20 * time.Second
	qrCodes     = 6
	codeTime    = firstQRTime + (qrCodes-1)*nextQRTime
	passkeyTime = 5 * time.Minute // for the passkey; after that, WhatsApp wants a person to compare codes, too
)

// PairConfig contains the parts and settings of a pairing.
type PairConfig struct {
	Store  *wastore.Device // a new one
	Number string          // the expected number
	Code   bool            // with a pairing code that is typed on the phone, instead of a QR code
	HTTP   *http.Client
	// Show displays a QR code or a pairing code until a time. QR codes replace one another.
	Show func(what string, until time.Time)
	// Passkey gets the response of the account's passkey to a request, both in the JSON format of WebAuthn, if WhatsApp
	// requires it. Only a page of WhatsApp's website can ask for it. nil: the pairing fails with [ErrPasskey].
	Passkey func(ctx context.Context, request []byte) (response []byte, err error)
	// Linking stores that the phone is about to link the device. If it fails, nothing is linked.
	Linking func(ctx context.Context, jid string) error
	// Save stores the linked device. If it fails, the device is unlinked again.
	Save func(ctx context.Context, jid string) error
}

// pairing is a pairing in progress. It either links a phone or is canceled, but never both.
type pairing struct {
	PairConfig
	client  *whatsmeow.Client
	decided atomic.Bool // true once a phone is being linked or the pairing is canceled
	events  chan any
	over    chan struct{} // closed when the events are no longer read
	login   bool          // the first login has ended
	proofs  chan []byte   // responses of the passkey; nil: there is none
	failed  error         // of Linking
}

// Pair links a new device to the number's phone and returns after Save has stored it. If possible, it waits for the
// first login, in which WhatsApp receives the keys that others need to write to the device. It leaves no connection
// open. The end of ctx cancels the pairing only until a phone is being linked.
//
// It does not use whatsmeow's GetQRChannel, which can send on a closed channel when the connection ends.
func Pair(ctx context.Context, c PairConfig) error {
	p := &pairing{PairConfig: c, client: newClient(c.Store, c.HTTP), events: make(chan any, 16), over: make(chan struct{}), proofs: make(chan []byte, 1)}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	connection, end := context.WithCancel(context.WithoutCancel(ctx)) // once connected, Disconnect ends it, because whatsmeow has a race if there are two ways
	defer end()
	dialed := context.AfterFunc(ctx, end)
	defer p.client.Disconnect()
	defer close(p.over)
	defer context.AfterFunc(ctx, func() {
		if p.decided.CompareAndSwap(false, true) {
			stop()
		}
	})()
	p.client.PrePairCallback = func(jid types.JID, _, _ string) bool {
		if jid.User != c.Number || !p.decided.CompareAndSwap(false, true) {
			return false
		}
		p.failed = c.Linking(run, jid.String())
		return p.failed == nil
	}
	p.client.AddEventHandlerWithSuccessStatus(p.handle)
	err := p.client.ConnectContext(connection)
	switch {
	case !dialed():
		return ctx.Err()
	case err != nil:
		return ErrNoWhatsApp
	}
	if err = p.show(run); run.Err() != nil {
		return ctx.Err()
	}
	return err
}

// handle forwards whatsmeow's pairing events. WhatsApp sends incoming messages again on the next connection, which stores
// them. A phone that can't link devices yet (QRScannedWithoutMultidevice) can scan the same code again.
func (p *pairing) handle(event any) bool {
	switch event.(type) {
	case *events.Message:
		return false
	case *events.QR, *events.RotateADVSecret, *events.PairSuccess, *events.PairError, *events.PairPasskeyRequest, *events.PairPasskeyError, *events.PairPasskeyConfirmation,
		*events.Connected, *events.Disconnected, *events.ConnectFailure, *events.LoggedOut, *events.TemporaryBan, *events.ClientOutdated:
		select {
		case p.events <- event:
		case <-p.over:
		}
	}
	return true
}

// show displays codes until a phone is linked.
func (p *pairing) show(ctx context.Context) error {
	var codes []string // the first is displayed
	next := time.NewTimer(loginTimeout)
	defer next.Stop()
	for {
		select {
		case event := <-p.events:
			switch e := event.(type) {
			case *events.QR:
				if codes = slices.Clone(e.Codes); len(codes) == 0 {
					return ErrPairRefused
				}
				until, err := p.first(ctx, codes)
				if err != nil {
					return err
				}
				next.Reset(time.Until(until))
			case *events.RotateADVSecret: // the displayed code is no longer valid
				for i := range codes {
					codes[i] = strings.Replace(codes[i], e.OldSecret, e.NewSecret, 1)
				}
				if !p.Code && len(codes) > 0 {
					p.Show(codes[0], time.Now().Add(nextQRTime))
					next.Reset(nextQRTime)
				}
			case *events.PairSuccess:
				return p.finish(ctx, e.ID.String())
			case *events.PairError:
				if p.failed != nil {
					return p.failed
				}
				if errors.Is(e.Error, whatsmeow.ErrPairRejectedLocally) {
					return ErrOtherNumber
				}
				return ErrPairRefused
			case *events.PairPasskeyRequest:
				if p.Passkey == nil {
					return ErrPasskey
				}
				p.askPasskey(ctx, e.PublicKey)
				codes = nil // the phone has scanned one
				next.Reset(passkeyTime)
			case *events.PairPasskeyConfirmation:
				// Otherwise, a person must compare codes, because too much time has passed since the scan.
				if !e.SkipHandoffUX || p.client.SendPasskeyConfirmation(ctx) != nil {
					return ErrPasskeyFailed
				}
			case *events.PairPasskeyError:
				return ErrPasskeyFailed
			default:
				if p.decided.CompareAndSwap(false, true) {
					if _, outdated := e.(*events.ClientOutdated); outdated {
						return ErrPairOutdated
					}
					return ErrPairLost
				}
				p.login = true // the first login has ended; whatsmeow still has to report that the phone is linked
			}
		case proof := <-p.proofs:
			if err := p.prove(ctx, proof); err != nil {
				return err
			}
			next.Reset(loginTimeout)
		case <-next.C:
			if p.Code || len(codes) <= 1 {
				if p.decided.CompareAndSwap(false, true) {
					return ErrPairTimeout
				}
				continue
			}
			codes = codes[1:]
			p.Show(codes[0], time.Now().Add(nextQRTime))
			next.Reset(nextQRTime)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// askPasskey gets the response of the passkey without blocking the pairing.
func (p *pairing) askPasskey(ctx context.Context, key *types.WebAuthnPublicKey) {
	request, err := json.Marshal(passkeyRequest{*key})
	go func() {
		var proof []byte
		if err == nil {
			proof, err = p.Passkey(ctx, request)
		}
		if err != nil {
			proof = nil
		}
		select {
		case p.proofs <- proof:
		case <-p.over:
		}
	}()
}

// passkeyRequest is a request without the fields that WhatsApp has left out, because browsers refuse empty ones.
type passkeyRequest struct{ types.WebAuthnPublicKey }

// MarshalJSON implements [json.Marshaler].
func (r passkeyRequest) MarshalJSON() ([]byte, error) {
	whole, err := json.Marshal(r.WebAuthnPublicKey)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(whole, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil || v == "" || v == 0.0 })
	return json.Marshal(fields)
}

// prove sends the response of the passkey to WhatsApp. nil: there is none.
func (p *pairing) prove(ctx context.Context, proof []byte) error {
	if proof == nil {
		return ErrPasskey
	}
	var response types.WebAuthnResponse
	if json.Unmarshal(proof, &response) != nil || len(response.RawID) == 0 || len(response.Response.Signature) == 0 || p.client.SendPasskeyResponse(ctx, &response) != nil {
		return ErrPasskeyFailed
	}
	return nil
}

// first displays the first QR code, or the only pairing code.
func (p *pairing) first(ctx context.Context, codes []string) (until time.Time, err error) {
	shown := codes[0]
	until = time.Now().Add(nextQRTime)
	switch {
	case p.Code:
		until = time.Now().Add(codeTime)
		if shown, err = p.client.PairPhone(ctx, p.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)"); err != nil {
			return until, ErrCodeRefused
		}
	case len(codes) == qrCodes:
		until = time.Now().Add(firstQRTime)
	}
	p.Show(shown, until)
	return until, nil
}

// finish waits for the first login and stores the device. If that login fails, the next connection of the device reports the reason.
func (p *pairing) finish(ctx context.Context, jid string) error {
	timeout := time.NewTimer(loginTimeout)
	defer timeout.Stop()
	if !p.login {
		select {
		case <-p.events:
		case <-timeout.C:
		}
	}
	err := p.Save(ctx, jid)
	if err != nil && p.client.Logout(ctx) != nil {
		err = errors.Join(err, errors.New("the phone still has the device: unlink it there"), p.Store.Delete(ctx))
	}
	return err
}
