package delivery

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/internal/safedial"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

// composed returns a message in the form for its gateway, without its media. The quoted message is looked up for each
// call, because another route knows it by another ID or not at all. If it is unknown, the message is sent without the
// quote.
func (s *Service) composed(ctx context.Context, g gateway.Sender, m *message.Message) *gateway.Outbound {
	out := m.Outbound()
	if m.Options.ReplyTo == "" || !g.Info().Replies {
		return out
	}
	var err error
	if out.ReplyTo, err = inbox.Quote(s.o.DB.Read(ctx), m); err != nil {
		s.o.Log.Warn("a message goes without the one that it answers", "messageId", m.ID, "err", err)
	}
	return out
}

// outbound returns a message in the form for its gateway, with its media.
func (s *Service) outbound(ctx context.Context, g gateway.Sender, m *message.Message) (*gateway.Outbound, *event) {
	out := s.composed(ctx, g, m)
	if out.Media == nil {
		return out, nil
	}
	if g.Info().MediaByLink {
		// A host name or a private address might refer to another host in the gateway's network.
		if err := (safedial.Options{Loopback: s.o.Links.Loopback}).CheckLink(out.Media.URL); err != nil {
			return nil, &event{kind: prepareFailed, err: &gateway.Error{Class: gateway.Permanent, Code: "media_refused", Err: err}}
		}
		return out, nil
	}
	if s.o.Media == nil {
		return nil, &event{kind: prepareFailed, err: &gateway.Error{Class: gateway.Permanent, Code: "media_refused"}}
	}
	ctx, cancel := context.WithTimeout(ctx, s.attemptTime(m))
	defer cancel()
	media, err := s.o.Media.Fetch(ctx, out.Media.URL)
	if err != nil {
		return nil, &event{kind: prepareFailed, err: gateway.AsError(err)}
	}
	out.Media = media
	return out, nil
}
