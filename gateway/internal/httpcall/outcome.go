package httpcall

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"example.com/griot/gateway"
)

// Codes for failures of calls without a response.
const (
	CodeUnavailable = "provider_unavailable" // temporary: no connection, or lost before the request was complete
	CodeTimeout     = "timeout"              // temporary: the time ran out before the request was complete
	CodeAnswerLost  = "answer_lost"          // unknown: the request was complete, but there was no response
	CodeTLS         = "tls_failed"           // sender_down: invalid certificate, or no TLS
	CodeClosed      = "closed"               // sender_down: the driver is closed
	CodeRequest     = "request_invalid"      // permanent: the request cannot be written
)

var (
	errRequest = errors.New("the request can't be written")
	errAnswer  = errors.New("the answer can't be read")
)

// tlsError is the error of a failed handshake.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return "tls: " + e.err.Error() }
func (e *tlsError) Unwrap() error { return e.err }

// refused reports whether the handshake failed because of the peer's certificate or protocol, not because of the connection.
func (e *tlsError) refused() bool {
	if op, ok := errors.AsType[*net.OpError](e.err); ok && (op.Op == "read" || op.Op == "write") {
		return false // alerts have their own operation
	}
	for _, lost := range []error{io.EOF, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded, net.ErrClosed} {
		if errors.Is(e.err, lost) {
			return false
		}
	}
	return true
}

// failed returns the error of a call without a response.
func failed(ctx context.Context, handedOver bool, err error) *gateway.Error {
	if handedOver {
		return &gateway.Error{Class: gateway.Unknown, Code: CodeAnswerLost, Err: cause(err)}
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if e, ok := errors.AsType[*tlsError](err); ok && e.refused() {
		return &gateway.Error{Class: gateway.SenderDown, Code: CodeTLS, Err: e}
	}
	if errors.Is(err, errRequest) {
		return &gateway.Error{Class: gateway.Permanent, Code: CodeRequest, Err: errRequest}
	}
	return &gateway.Error{Class: gateway.Temporary, Code: CodeUnavailable, Err: cause(err)}
}

// interrupted returns the error of a call whose context ended before the request was submitted.
func interrupted(ctx context.Context) *gateway.Error {
	if errors.Is(context.Cause(ctx), errClosed) {
		return closed()
	}
	return &gateway.Error{Class: gateway.Temporary, Code: CodeTimeout, Err: ctx.Err()}
}

func closed() *gateway.Error {
	return &gateway.Error{Class: gateway.SenderDown, Code: CodeClosed}
}

// ProbeError converts the failure of a probe for [gateway.Prober], and nil to nil. A probe does not send a message,
// so an unknown outcome becomes temporary.
func ProbeError(failure *gateway.Error) error {
	if failure == nil {
		return nil
	}
	if failure.Class.HandedOver() {
		failure.Class = gateway.Temporary
	}
	return failure
}

// cause returns the part of err that can be logged: texts of the network and of this package, never data from the peer.
func cause(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e
	}
	for _, known := range []error{errClosed, context.Canceled, context.DeadlineExceeded, net.ErrClosed, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	return errAnswer
}

// read returns at most limit bytes of a response's body.
func read(body io.Reader, limit int64) (b []byte, whole bool) {
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], false
	}
	return b, err == nil
}

// maxRetryAfter is the maximum pause that a provider can ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads the header Retry-After (RFC 9110 §10.2.3): seconds, or a date, which is compared with the
// response's own Date. It is zero without a valid value.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		if now, err := http.ParseTime(h.Get("Date")); err == nil {
			wait = at.Sub(now)
		}
	}
	return min(max(wait, 0), maxRetryAfter)
}
