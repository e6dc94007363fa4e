package smtp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"

	"example.com/griot/gateway"
)

// stageError converts an error at a stage. It drops texts of the relay.
func stageError(ctx context.Context, at stage, err error) *gateway.Error {
	if reply, ok := errors.AsType[*textproto.Error](err); ok && reply.Code >= 400 && reply.Code < 600 {
		enhanced := enhancedCode(reply.Code, reply.Msg)
		class, code := refusal(at, reply.Code, enhanced)
		return &gateway.Error{Class: class, Code: code, ProviderCode: strings.TrimSpace(strconv.Itoa(reply.Code) + " " + enhanced)}
	}
	if ctx.Err() != nil && at != atAnswer {
		return interrupted(ctx)
	}
	e := &gateway.Error{Class: gateway.Temporary, Code: "smtp_unavailable", Err: loggable(err)}
	switch {
	case at == atAnswer:
		e.Class, e.Code = gateway.Unknown, "answer_lost"
	case errors.Is(err, errNoTLS):
		e.Class, e.Code = gateway.SenderDown, "tls_unavailable"
	case errors.Is(err, errNoAuth):
		e.Class, e.Code = gateway.SenderDown, "login_unsupported"
	case errors.Is(err, errNoUTF8):
		e.Class, e.Code = gateway.Unreachable, "smtputf8_unsupported"
	case errors.Is(err, errTooLarge):
		e.Class, e.Code = gateway.Permanent, "message_too_large"
	case at == atTLS && !isNetworkError(err):
		// No secret has been exchanged yet.
		e.Class, e.Code, e.Err = gateway.SenderDown, "tls_failed", err
	}
	return e
}

// interrupted returns the error of an attempt whose context ended before anything was submitted.
func interrupted(ctx context.Context) *gateway.Error {
	if errors.Is(context.Cause(ctx), errClosed) {
		return &gateway.Error{Class: gateway.SenderDown, Code: "closed"}
	}
	return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
}

// refusal returns the class and code for a reply of 400 or more at a stage, from the table in docs/gateways/smtp.md.
func refusal(at stage, code int, enhanced string) (gateway.Class, string) {
	_, detail, _ := strings.Cut(enhanced, ".") // "1.1" in "5.1.1", RFC 3463
	subject, _, _ := strings.Cut(detail, ".")
	full := detail == "2.2" || code == 552 && enhanced == "" && at == atRecipient
	switch {
	case code == 421 || code < 500 && at <= atAuth:
		return gateway.Temporary, "smtp_unavailable"
	case full:
		return gateway.Temporary, "mailbox_full"
	case code < 500:
		return gateway.Temporary, "refused_for_now"
	case at <= atTLS:
		return gateway.SenderDown, "smtp_refused"
	case at == atAuth:
		return gateway.SenderDown, "credentials_refused"
	case code == 530 || code == 538:
		return gateway.SenderDown, "credentials_required"
	case detail == "3.4" || detail == "2.3":
		return gateway.Permanent, "message_too_large"
	case at == atMail:
		return gateway.Permanent, "sender_refused"
	case at == atRecipient && subject != "7" && isAboutRecipient(code, subject):
		return gateway.Unreachable, "recipient_refused"
	}
	return gateway.Permanent, "message_refused"
}

// isAboutRecipient reports whether a refusal of RCPT is about the address (X.1.X, X.2.X), not about our permissions.
func isAboutRecipient(code int, subject string) bool {
	switch code {
	case 501, 521, 550, 551, 553, 556:
		return true
	}
	return subject == "1" || subject == "2"
}

var enhancedPattern = regexp.MustCompile(`\A[45]\.[0-9]{1,3}\.[0-9]{1,3}\z`)

// enhancedCode returns the enhanced status code (RFC 2034) in the text of a reply, or "".
func enhancedCode(code int, text string) string {
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		// An enhanced code has the reply's class.
		if enhancedPattern.MatchString(word) && int(word[0]-'0') == code/100 {
			return word
		}
	}
	return ""
}

// isNetworkError reports whether err comes from the connection: it failed, was lost, or does not use SMTP.
func isNetworkError(err error) bool {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Op == "dial" || e.Op == "read" || e.Op == "write" // TLS reports alerts as separate operations
	}
	_, malformed := errors.AsType[textproto.ProtocolError](err)
	return malformed || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, errTooLong)
}

// loggable returns the part of err that can be logged: errors of the network and our own, not texts of the relay.
func loggable(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	for _, known := range []error{
		errNoTLS, errNoAuth, errNoUTF8, errTooLarge, errTooLong,
		context.Canceled, context.DeadlineExceeded, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, known) {
			return known
		}
	}
	return errors.New("the relay's answer can't be read")
}
