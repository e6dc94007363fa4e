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

	"griot/gateway"
)

var (
	errNoTLS  = errors.New("the relay doesn't offer STARTTLS")
	errNoAuth = errors.New("the relay offers neither AUTH PLAIN nor AUTH LOGIN")
)

// connect opens a connection and takes it to the point where MAIL can be said.
func (s *sender) connect(ctx context.Context) (*conn, *gateway.Error) {
	ctx, cancel := context.WithTimeout(ctx, seconds(s.settings.ConnectTimeout))
	defer cancel()
	var dialer net.Dialer
	raw, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.settings.Host, strconv.Itoa(s.settings.Port)))
	if err != nil {
		return nil, failed(ctx, atGreeting, err)
	}
	c := &conn{raw: &bounded{Conn: raw}}
	stop := context.AfterFunc(ctx, c.kill)
	reached, err := s.introduce(ctx, c)
	stop()
	if err != nil {
		c.kill()
		return nil, failed(ctx, reached, err)
	}
	return c, nil
}

// introduce goes through greeting, EHLO, STARTTLS and AUTH. It returns the stage that it reached.
func (s *sender) introduce(ctx context.Context, c *conn) (stage, error) {
	var link net.Conn = c.raw
	if s.settings.TLS == implicitTLS {
		encrypted := tls.Client(c.raw, s.tls)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return atTLS, err
		}
		link = encrypted
		c.raw.command()
	}
	client, err := smtp.NewClient(link, s.settings.Host)
	if err != nil {
		return atGreeting, err
	}
	c.client = client
	c.raw.command()
	if err := client.Hello(s.settings.helo()); err != nil {
		return atGreeting, err
	}
	if s.settings.TLS == startTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return atTLS, errNoTLS
		}
		c.raw.command()
		if err := client.StartTLS(s.tls); err != nil {
			return atTLS, err
		}
	}
	if s.settings.Username == "" {
		return atMail, nil
	}
	mechanism := s.mechanism(client)
	if mechanism == nil {
		return atAuth, errNoAuth
	}
	c.raw.command()
	return atAuth, client.Auth(mechanism)
}

// mechanism returns how to log in, by what the relay offers. What protects the password is TLS.
func (s *sender) mechanism(client *smtp.Client) smtp.Auth {
	_, offered := client.Extension("AUTH")
	names := strings.Fields(strings.ToUpper(offered))
	inClear := s.settings.TLS == noTLS
	switch {
	case slices.Contains(names, "PLAIN"):
		return smtp.PlainAuth("", s.settings.Username, s.settings.Password, s.settings.Host, inClear)
	case slices.Contains(names, "LOGIN"):
		return smtp.LoginAuth(s.settings.Username, s.settings.Password, s.settings.Host, inClear)
	}
	return nil
}
