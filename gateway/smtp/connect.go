package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail/smtp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/setting"
)

var (
	errNoTLS  = errors.New("the relay doesn't offer STARTTLS")
	errNoAuth = errors.New("the relay offers neither AUTH PLAIN nor AUTH LOGIN")
)

// connect opens a connection that is ready for MAIL.
func (s *sender) connect(ctx context.Context) (*conn, *gateway.Error) {
	ctx, cancel := context.WithTimeout(ctx, setting.Seconds(s.settings.ConnectTimeout))
	defer cancel()
	var dialer net.Dialer
	raw, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.settings.Host, strconv.Itoa(s.settings.Port)))
	if err != nil {
		return nil, stageError(ctx, atConnect, err)
	}
	c := &conn{raw: &limitedConn{Conn: raw}}
	stop := context.AfterFunc(ctx, c.close)
	reached, err := s.handshake(ctx, c)
	stop()
	if err != nil {
		c.close()
		return nil, stageError(ctx, reached, err)
	}
	return c, nil
}

// handshake performs greeting, EHLO, STARTTLS, and AUTH. It returns the stage that it reached.
func (s *sender) handshake(ctx context.Context, c *conn) (stage, error) {
	var netConn net.Conn = c.raw
	if s.settings.TLS == implicitTLS {
		encrypted := tls.Client(c.raw, s.tls)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return atTLS, err
		}
		netConn = encrypted
		c.raw.startCommand()
	}
	client, err := smtp.NewClient(netConn, s.settings.Host)
	if err != nil {
		return atConnect, err
	}
	c.client = client
	c.raw.startCommand()
	if err := client.Hello(s.settings.helo()); err != nil {
		return atConnect, err
	}
	if s.settings.TLS == startTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return atTLS, errNoTLS
		}
		c.raw.startCommand()
		if err := client.StartTLS(s.tls); err != nil {
			return atTLS, err
		}
	}
	if s.settings.Username == "" {
		return atMail, nil
	}
	mechanism := s.authMechanism(client)
	if mechanism == nil {
		return atAuth, errNoAuth
	}
	c.raw.startCommand()
	return atAuth, client.Auth(mechanism)
}

// authMechanism returns a mechanism that the relay offers, or nil. TLS protects the password.
func (s *sender) authMechanism(client *smtp.Client) smtp.Auth {
	_, offered := client.Extension("AUTH")
	names := strings.Fields(strings.ToUpper(offered))
	inClear := s.settings.TLS == setting.NoTLS
	switch {
	case slices.Contains(names, "PLAIN"):
		return smtp.PlainAuth("", s.settings.Username, s.settings.Password, s.settings.Host, inClear)
	case slices.Contains(names, "LOGIN"):
		return smtp.LoginAuth(s.settings.Username, s.settings.Password, s.settings.Host, inClear)
	}
	return nil
}
