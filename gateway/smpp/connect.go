package smpp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

const version = 0x34

// connect dials and binds. A failure of class SenderDown won't pass by itself.
func (s *sender) connect(ctx context.Context) (*link, *gateway.Error) {
	ctx, cancel := context.WithTimeout(ctx, seconds(s.settings.ConnectTimeout))
	defer cancel()
	conn, err := s.dial(ctx, "tcp", net.JoinHostPort(s.settings.Host, strconv.Itoa(s.settings.Port)))
	if err != nil {
		return nil, unconnected(err)
	}
	if s.tls != nil {
		encrypted := tls.Client(conn, s.tls)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, untrusted(ctx, err)
		}
		conn = encrypted
	}
	l := s.newLink(conn)
	stop := context.AfterFunc(ctx, func() { l.kill(ctx.Err()) })
	failure := l.bind()
	if !stop() && failure == nil {
		failure = unconnected(ctx.Err())
	}
	if failure != nil {
		l.kill(errLeaving)
		return nil, failure
	}
	return l, nil
}

// bind says who we are, and hears whether that is enough (SMPP 3.4 §4.1.5).
func (l *link) bind() *gateway.Error {
	body, err := pdu.Bind{
		SystemID: l.s.settings.SystemID, Password: l.s.settings.Password, SystemType: l.s.settings.SystemType, Version: version,
	}.Body()
	if err != nil {
		return &gateway.Error{Class: gateway.SenderDown, Code: codeCredentials} // settings have been checked
	}
	if _, err := l.ask(pdu.BindTransceiver, body, parcel{}); err != nil {
		return unconnected(err)
	}
	p, err := pdu.Read(l.r)
	switch {
	case err != nil:
		return unconnected(err)
	case p.Command != pdu.BindTransceiver.Response() && p.Command != pdu.GenericNack:
		return unconnected(errProtocol)
	case p.Status != pdu.OK:
		return unbound(p.Status)
	case p.Command == pdu.GenericNack:
		return unconnected(errProtocol)
	}
	l.mu.Lock()
	clear(l.waiting)
	l.mu.Unlock()
	return nil
}

func unconnected(err error) *gateway.Error {
	return &gateway.Error{Class: gateway.Temporary, Code: "not_connected", Err: cause(err)}
}

// untrusted tells a network that fails within the handshake from a center that isn't who it should be.
func untrusted(ctx context.Context, err error) *gateway.Error {
	e, isNetwork := errors.AsType[*net.OpError](err)
	if ctx.Err() != nil || isNetwork && (e.Op == "read" || e.Op == "write") || isEnd(err) {
		return unconnected(err)
	}
	return &gateway.Error{Class: gateway.SenderDown, Code: "tls_failed", Err: err} // nothing has been said yet that must not be repeated
}
