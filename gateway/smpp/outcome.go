package smpp

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

const codeCredentials = "credentials_refused"

// throttledFor is the RetryAfter of throttling statuses. SMPP 3.4 has no field for it.
const throttledFor = time.Second

// statusError converts a status of submit_sm_resp to an error, from the table in docs/gateways/smpp.md.
func statusError(status pdu.Status) *gateway.Error {
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
		if !status.VendorSpecific() { // an error in our request
			e.Code = "request_refused"
		}
	}
	return e
}

// bindRefused converts a status of bind_transceiver_resp to an error.
func bindRefused(status pdu.Status) *gateway.Error {
	e := &gateway.Error{Class: gateway.SenderDown, Code: "bind_refused", ProviderCode: status.String()}
	switch status {
	case pdu.BindFailed, pdu.InvalidPassword, pdu.InvalidSystemID, pdu.InvalidSystemType:
		e.Code = codeCredentials
	case pdu.AlreadyBound, pdu.SystemError, pdu.MessageQueueFull, pdu.Throttled, pdu.TemporaryAppError, pdu.UnknownError:
		e.Class, e.Code = gateway.Temporary, "not_connected" // the center might still count the previous connection
	default: // lasts until someone changes the configuration or the account
	}
	return e
}

// loggable returns the part of err that can be logged: errors of the network and our own.
func loggable(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	for _, known := range []error{
		errSilent, errNotReading, errUnbound, errProtocol, errUnbinding, errClosed, errRunEnded,
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
