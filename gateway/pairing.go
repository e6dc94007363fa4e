package gateway

import (
	"context"
	"time"
)

// Pairer is implemented by drivers whose gateway can link one of our numbers to a person's phone, if [Info.Pairs] is
// set. Its errors are an *[Error], never of the class [Unknown], so each call can be repeated.
type Pairer interface {
	// StartPairing starts a pairing of the number, or continues one with the same method that is in progress. It
	// returns before a person has done anything.
	StartPairing(ctx context.Context, channel Channel, from string, method PairingMethod) (PairingProgress, error)
	// PairingStatus returns the progress of the number's pairing. The result is kept for at least ten minutes, or
	// until the number is unlinked.
	PairingStatus(ctx context.Context, channel Channel, from string) (PairingProgress, error)
	// CancelPairing cancels a pairing. It does nothing if none is in progress.
	CancelPairing(ctx context.Context, channel Channel, from string) error
}

// PairingMethod is a method of linking a phone.
type PairingMethod string

// The methods of pairing.
const (
	PairByQR   PairingMethod = "qr"   // the phone scans a QR code
	PairByCode PairingMethod = "code" // the person types a code on the phone
)

// PairingProgress is the progress of a pairing. QR and Code are secrets of the new link. They are shown only to the
// owner of the number, and they are neither stored nor logged.
type PairingProgress struct {
	State     PairingState
	QR        string    // the content of the QR code, while State is [PairingWaiting] and the method is [PairByQR]
	Code      string    // the code to type, such as "ABCD-EFGH", while State is [PairingWaiting] and the method is [PairByCode]
	ExpiresAt time.Time // the time at which QR or Code is replaced or expires; zero: unknown
	Reason    string    // with [PairingFailed]: one of the reasons below, or the gateway's reason in snake_case
}

// PairingState is the state of a pairing.
type PairingState string

// The states of a pairing.
const (
	PairingNone     PairingState = "none"     // no pairing was started, or its result is no longer kept
	PairingStarting PairingState = "starting" // the gateway is fetching a code
	PairingWaiting  PairingState = "waiting"  // a person must scan or type the code
	PairingDone     PairingState = "paired"
	PairingFailed   PairingState = "failed"
)

// UnderWay reports whether the pairing is in progress.
func (s PairingState) UnderWay() bool { return s == PairingStarting || s == PairingWaiting }

// The reasons for a failed pairing.
const (
	PairingExpired      = "expired"          // no one scanned or typed the code in time
	PairingWrongNumber  = "wrong_number"     // a number other than the sender's was linked, and unlinked again
	PairingPasskey      = "passkey_required" // the provider requires a passkey, which only its own applications support
	PairingPasskeyFail  = "passkey_failed"   // the provider requires a passkey, and its request was not understood
	PairingCancelled    = "cancelled"
	PairingProvider     = "provider_failed"
	PairingAlreadyThere = "already_paired" // the number is already linked; remove it first
)
