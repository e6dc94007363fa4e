package smpp

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

const codeCredentials = "credentials_refused"

// throttledFor is how long to wait after a center has said that it is too much. SMPP 3.4 has no word for it.
const throttledFor = time.Second

// refused is the table of docs/gateways/smpp.md: what a status in the answer to submit_sm means.
func refused(status pdu.Status) *gateway.Error {
	e := &gateway.Error{Class: gateway.Permanent, Code: "message_refused", ProviderCode: status.String()}
	switch status {
	case pdu.Throttled:
		e.Class, e.Code, e.RetryAfter = gateway.RateLimited, "throttled", throttledFor
	case pdu.MessageQueueFull:
		e.Class, e.Code, e.RetryAfter = gateway.RateLimited, "queue_full", throttledFor
	case pdu.SystemError, pdu.TemporaryAppError, pdu.UnknownError:
		e.Class, e.Code = gateway.Temporary, "refused_for_now"
	case pdu.InvalidDestination, pdu.DeliveryFailure:
		e.Class, e.Code = gateway.Unreachable, "recipient_refused"
	case pdu.InvalidSource, pdu.InvalidSourceTON, pdu.InvalidSourceNPI:
		e.Code = "sender_refused"
	case pdu.InvalidExpiry:
		e.Code = "validity_refused"
	case pdu.InvalidMessageLen:
		e.Code = "message_too_long"
	case pdu.InvalidBindStatus, pdu.BindFailed, pdu.InvalidPassword, pdu.InvalidSystemID, pdu.InvalidSystemType:
		e.Class, e.Code = gateway.SenderDown, codeCredentials
	case pdu.PermanentAppError, pdu.RejectedByApp, pdu.SubmitFailed:
	default:
		if !status.VendorSpecific() { // it doesn't like how we ask
			e.Code = "request_refused"
		}
	}
	return e
}

// unbound is what a status in the answer to bind_transceiver means.
func unbound(status pdu.Status) *gateway.Error {
	e := &gateway.Error{Class: gateway.SenderDown, Code: "bind_refused", ProviderCode: status.String()}
	switch status {
	case pdu.BindFailed, pdu.InvalidPassword, pdu.InvalidSystemID, pdu.InvalidSystemType:
		e.Code = codeCredentials
	case pdu.AlreadyBound, pdu.SystemError, pdu.MessageQueueFull, pdu.Throttled, pdu.TemporaryAppError, pdu.UnknownError:
		e.Class, e.Code = gateway.Temporary, "not_connected" // the last connection may not be forgotten yet
	default: // it will say so again until somebody changes something
	}
	return e
}

// cause returns what of err may be logged: what the network and we ourselves say.
func cause(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	for _, known := range []error{
		errSilent, errStuck, errUnbound, errProtocol, errLeaving, errClosed, errEnded,
		context.Canceled, context.DeadlineExceeded, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, known) {
			return known
		}
	}
	if errors.Is(err, pdu.ErrLength) || errors.Is(err, pdu.ErrBody) {
		return errProtocol
	}
	return errors.New("the connection has failed")
}
