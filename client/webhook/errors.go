package webhook

// A CodeError is the reason why an event was refused, for errors.Is(err, [ErrSignature]).
type CodeError string

// The reasons to refuse an event. Errors never contain parts of the event.
const (
	ErrHeader    CodeError = "header_missing"      // webhook-id, webhook-timestamp, or webhook-signature is missing
	ErrTimestamp CodeError = "timestamp_malformed" // the timestamp is not a number of seconds
	ErrSkew      CodeError = "timestamp_skew"      // the timestamp is too far in the past or the future: the event is a replay, or a clock is wrong
	ErrSignature CodeError = "signature_mismatch"  // no signature was created with one of the secrets
	ErrBody      CodeError = "body_malformed"      // the body is signed, but is not an event
	ErrTooLarge  CodeError = "body_too_large"      // the body of a request
	ErrSecret    CodeError = "secret_malformed"    // a secret passed to [New] does not have the form whsec_…
)

func (e CodeError) Error() string { return "webhook: " + string(e) }
