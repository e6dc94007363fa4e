package gateway

import (
	"context"
	"time"
)

// Pairer is implemented by drivers whose gateway can link one of our numbers to a person's phone, where [Info.Pairs] says that it does.
// Its errors are an *[Error], never of the class [Unknown]: each call may be repeated.
type Pairer interface {
	// StartPairing starts to link the number, or goes on where a pairing of it by the same method is under way.
	// It returns before a person has done anything.
	StartPairing(ctx context.Context, channel Channel, from string, method PairingMethod) (PairingProgress, error)
	// PairingStatus returns how far the number's pairing is. How one has ended is kept for at least ten minutes,
	// or until the number is unlinked.
	PairingStatus(ctx context.Context, channel Channel, from string) (PairingProgress, error)
	// CancelPairing ends a pairing. It does nothing where none is under way.
	CancelPairing(ctx context.Context, channel Channel, from string) error
}

// PairingMethod is how a phone is linked.
type PairingMethod string

// The methods of pairing.
const (
	PairByQR   PairingMethod = "qr"   // the phone scans a picture
	PairByCode PairingMethod = "code" // the person types a code on the phone
)

// PairingProgress is how far a pairing is. QR and Code are secrets of the link that is being made: they are shown
// to nobody but who owns the number, and are neither stored nor logged.
type PairingProgress struct {
	State     PairingState
	QR        string    // what the QR code says, while State is [PairingWaiting] and the method is [PairByQR]
	Code      string    // what is to be typed, such as "ABCD-EFGH", while State is [PairingWaiting] and the method is [PairByCode]
	ExpiresAt time.Time // when QR or Code is replaced by another one, or ends; zero: it is not known
	Reason    string    // with [PairingFailed]: one of the reasons below, or a gateway's own in snake_case
}

// PairingState is the state of a pairing.
type PairingState string

// The states of a pairing.
const (
	PairingNone     PairingState = "none"     // none was started, or it is long over
	PairingStarting PairingState = "starting" // the gateway is fetching a code
	PairingWaiting  PairingState = "waiting"  // a person must scan or type it
	PairingDone     PairingState = "paired"
	PairingFailed   PairingState = "failed"
)

// UnderWay reports whether the pairing goes on.
func (s PairingState) UnderWay() bool { return s == PairingStarting || s == PairingWaiting }

// The reasons why a pairing failed.
const (
	PairingExpired      = "expired"          // nobody scanned in time
	PairingWrongNumber  = "wrong_number"     // another number than the sender's was linked: it was unlinked again
	PairingPasskey      = "passkey_required" // the provider asks for a passkey, which only its own applications can give
	PairingCancelled    = "cancelled"
	PairingProvider     = "provider_failed"
	PairingAlreadyThere = "already_paired" // the number is linked; it must be removed first
)
