package smpp

import (
	"context"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

// parcel is a message on its way: what the book needs to know of each of its segments.
type parcel struct {
	ref   string
	group *group // nil when there is one segment only
}

// carry makes the attempt: each unit after the one before was taken. It returns the id of the last.
func (s *sender) carry(ctx context.Context, ref string, units []*pdu.Message) (id string, failure *gateway.Error) {
	p := parcel{ref: ref}
	if len(units) > 1 {
		p.group = &group{total: len(units)}
	}
	for i, u := range units {
		body, err := u.Body()
		if err != nil {
			failure = &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
		} else if i == 0 {
			id, failure = s.submit(ctx, p, body)
		} else {
			id, failure = s.persist(ctx, p, body)
		}
		switch {
		case failure == nil:
		case i == 0:
			return "", failure
		case failure.Class != gateway.Unknown: // some of it is there, and can't be called back
			return "", &gateway.Error{Class: gateway.Unknown, Code: "partly_sent", ProviderCode: failure.ProviderCode, Err: failure.Err}
		default:
			return "", failure
		}
	}
	if p.group != nil {
		s.book.complete(p.group, id)
	}
	return id, nil
}

func (s *sender) submit(ctx context.Context, p parcel, body []byte) (string, *gateway.Error) {
	l, failure := s.await(ctx)
	if failure != nil {
		return "", failure
	}
	return l.submit(ctx, p, body)
}

// again is how long a refused segment waits where the center doesn't say.
const again = 200 * time.Millisecond

// persist submits a segment whose predecessors were taken. A refusal for the moment
// says that this one was not, so that it may be repeated: half a text helps nobody.
func (s *sender) persist(ctx context.Context, p parcel, body []byte) (string, *gateway.Error) {
	enough := time.NewTimer(s.settings.responseTimeout())
	defer enough.Stop()
	for {
		id, failure := s.submit(ctx, p, body)
		if failure == nil || failure.Class != gateway.Temporary && failure.Class != gateway.RateLimited {
			return id, failure
		}
		pause := time.NewTimer(max(failure.RetryAfter, again))
		select {
		case <-pause.C:
			continue
		case <-enough.C:
		case <-ctx.Done():
		case <-s.life.Done():
		}
		pause.Stop()
		return "", failure
	}
}
