package webhook

// CodeError says why an event was refused, for errors.Is(err, [ErrSignature]).
type CodeError string

// What is wrong with an event. Nothing of it is in the error.
const (
	ErrHeader    CodeError = "header_missing"      // webhook-id, webhook-timestamp, or webhook-signature is missing
	ErrTimestamp CodeError = "timestamp_malformed" // it is no number of seconds
	ErrSkew      CodeError = "timestamp_skew"      // it is too long ago, or yet to come: the event is a replay, or a clock is wrong
	ErrSignature CodeError = "signature_mismatch"  // no signature is by one of the secrets
	ErrBody      CodeError = "body_malformed"      // it is signed, and is no event
	ErrTooLarge  CodeError = "body_too_large"      // of a request
	ErrSecret    CodeError = "secret_malformed"    // of [New]: it is not one such as whsec_…
)

func (e CodeError) Error() string { return "webhook: " + string(e) }
