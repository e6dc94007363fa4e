package smpp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/gateway/smpp/pdu"
)

const version = 0x34

// connect dials and binds. A failure of class SenderDown lasts until someone changes the configuration or the account.
func (s *sender) connect(ctx context.Context) (*link, *gateway.Error) {
	ctx, cancel := context.WithTimeout(ctx, setting.Seconds(s.settings.ConnectTimeout))
	defer cancel()
	conn, err := s.dial(ctx, "tcp", net.JoinHostPort(s.settings.Host, strconv.Itoa(s.settings.Port)))
	if err != nil {
		return nil, notConnected(err)
	}
	if s.tls != nil {
		encrypted := tls.Client(conn, s.tls)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, tlsError(ctx, err)
		}
		conn = encrypted
	}
	l := s.newLink(conn)
	stop := context.AfterFunc(ctx, func() { l.close(ctx.Err()) })
	failure := l.bind()
	if !stop() && failure == nil {
		failure = notConnected(ctx.Err())
	}
	if failure != nil {
		l.close(errUnbinding)
		return nil, failure
	}
	return l, nil
}

// bind binds as transceiver (SMPP 3.4 §4.1.5).
func (l *link) bind() *gateway.Error {
	body, err := pdu.Bind{
		SystemID: l.s.settings.SystemID, Password: l.s.settings.Password, SystemType: l.s.settings.SystemType, Version: version,
	}.Body()
	if err != nil {
		return &gateway.Error{Class: gateway.SenderDown, Code: codeCredentials} // the settings have been checked
	}
	if _, err := l.send(pdu.BindTransceiver, body, outgoing{}); err != nil {
		return notConnected(err)
	}
	p, err := pdu.Read(l.r)
	switch {
	case err != nil:
		return notConnected(err)
	case p.Command != pdu.BindTransceiver.Response() && p.Command != pdu.GenericNack:
		return notConnected(errProtocol)
	case p.Status != pdu.OK:
		return bindRefused(p.Status)
	case p.Command == pdu.GenericNack:
		return notConnected(errProtocol)
	}
	l.mu.Lock()
	clear(l.pending)
	l.mu.Unlock()
	return nil
}

func notConnected(err error) *gateway.Error {
	return &gateway.Error{Class: gateway.Temporary, Code: "not_connected", Err: loggable(err)}
}

// tlsError distinguishes a network failure during the handshake, which is temporary, from a refused certificate.
func tlsError(ctx context.Context, err error) *gateway.Error {
	e, isNetwork := errors.AsType[*net.OpError](err)
	if ctx.Err() != nil || isNetwork && (e.Op == "read" || e.Op == "write") || isEnd(err) {
		return notConnected(err)
	}
	return &gateway.Error{Class: gateway.SenderDown, Code: "tls_failed", Err: err} // it contains no secrets, because nothing has been sent yet
}
