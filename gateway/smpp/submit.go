package smpp

import (
	"context"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

// outgoing is the message that a submitted segment belongs to.
type outgoing struct {
	ref       string
	multipart *multipart // nil if there is only one segment
	last      bool       // the segment is the last of several
}

// submitAll submits the units one after another, each after the previous one was accepted, and returns the ID of the last.
func (s *sender) submitAll(ctx context.Context, ref string, units []*pdu.Message) (id string, failure *gateway.Error) {
	p := outgoing{ref: ref}
	if len(units) > 1 {
		p.multipart = &multipart{total: len(units)}
	}
	for i, u := range units {
		p.last = p.multipart != nil && i == len(units)-1
		body, err := u.Body()
		if err != nil {
			failure = &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
		} else if i == 0 {
			id, failure = s.submit(ctx, p, body)
		} else {
			id, failure = s.submitRetrying(ctx, p, body)
		}
		switch {
		case failure == nil:
		case i == 0:
			return "", failure
		case failure.Class != gateway.Unknown: // the first segments cannot be recalled
			return "", &gateway.Error{Class: gateway.Unknown, Code: "partly_sent", ProviderCode: failure.ProviderCode, Err: failure.Err}
		default:
			return "", failure
		}
	}
	return id, nil
}

func (s *sender) submit(ctx context.Context, p outgoing, body []byte) (string, *gateway.Error) {
	l, failure := s.waitForLink(ctx)
	if failure != nil {
		return "", failure
	}
	return l.submit(ctx, p, body)
}

// retryPause is the minimum pause before a refused segment is submitted again.
const retryPause = 200 * time.Millisecond

// submitRetrying submits a segment whose predecessors were accepted. It repeats the segment after temporary refusals,
// because a part of a text is useless.
func (s *sender) submitRetrying(ctx context.Context, p outgoing, body []byte) (string, *gateway.Error) {
	deadline := time.NewTimer(s.settings.responseTimeout())
	defer deadline.Stop()
	for {
		id, failure := s.submit(ctx, p, body)
		if failure == nil || failure.Class != gateway.Temporary && failure.Class != gateway.RateLimited {
			return id, failure
		}
		pause := time.NewTimer(max(failure.RetryAfter, retryPause))
		select {
		case <-pause.C:
			continue
		case <-deadline.C:
		case <-ctx.Done():
		case <-s.lifetime.Done():
		}
		pause.Stop()
		return "", failure
	}
}
