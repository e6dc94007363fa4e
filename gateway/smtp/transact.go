package smtp

import (
	"context"
	"errors"
	"net/textproto"
	"strconv"
	"time"

	"example.com/griot/gateway"
)

// stage is a step of an attempt.
type stage int

const (
	atConnect stage = iota // TCP, greeting, EHLO
	atTLS                  // STARTTLS and handshake
	atAuth
	atMail
	atRecipient
	atData
	atContent // the content and its final dot are being written
	atAnswer  // the final dot has been written, and the reply has not arrived
)

var (
	errNoUTF8   = errors.New("the relay doesn't offer SMTPUTF8")
	errTooLarge = errors.New("the message is larger than the relay accepts")
)

// deliver makes one transaction. It returns the stage that it reached.
func (c *conn) deliver(ctx context.Context, m *mail, timeout time.Duration) (stage, *gateway.Error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stop := context.AfterFunc(ctx, c.close)
	reached, err := c.transact(m)
	if !stop() || err != nil && !keepsConn(err) {
		c.broken = true
	}
	if err != nil {
		return reached, stageError(ctx, reached, err)
	}
	return reached, nil
}

// transact performs the mail transaction of RFC 5321 §3.3.
func (c *conn) transact(m *mail) (stage, error) {
	if c.inTransaction {
		c.raw.startCommand()
		if err := c.client.Reset(); err != nil {
			return atMail, err
		}
		c.inTransaction = false
	}
	if offered, _ := c.client.Extension("SMTPUTF8"); m.utf8 && !offered {
		return atMail, errNoUTF8
	}
	if _, limit := c.client.Extension("SIZE"); exceeds(len(m.content), limit) {
		return atMail, errTooLarge
	}
	// SMTPUTF8 is requested only if it is needed, because the relay bounces such mail if the next relay does not support it.
	c.client.SkipSMTPUTF8(!m.utf8)
	c.inTransaction = true
	c.raw.startCommand()
	if err := c.client.Mail(m.from); err != nil {
		return atMail, err
	}
	c.raw.startCommand()
	if err := c.client.Rcpt(m.to); err != nil {
		return atRecipient, err
	}
	c.raw.startCommand()
	if err := c.data(); err != nil {
		return atData, err
	}
	w := c.client.Text.DotWriter()
	if _, err := w.Write(m.content); err != nil {
		return atContent, err
	}
	// Close writes the final dot. Without an error, everything has been written. With an error, the dot has not.
	if err := w.Close(); err != nil {
		return atContent, err
	}
	c.raw.startCommand()
	if _, _, err := c.client.Text.ReadResponse(2); err != nil {
		return atAnswer, err
	}
	c.inTransaction = false
	return atAnswer, nil
}

// data sends DATA. The library's own command does not show whether the final dot was written.
func (c *conn) data() error {
	id, err := c.client.Text.Cmd("DATA")
	if err != nil {
		return err
	}
	c.client.Text.StartResponse(id)
	defer c.client.Text.EndResponse(id)
	_, _, err = c.client.Text.ReadResponse(354)
	return err
}

// exceeds reports whether size is above the parameter of SIZE (RFC 1870). 0 or no parameter means no limit.
func exceeds(size int, limit string) bool {
	n, err := strconv.ParseUint(limit, 10, 63)
	return err == nil && n > 0 && uint64(size) > n
}

// keepsConn reports whether the connection can be used after err.
func keepsConn(err error) bool {
	if errors.Is(err, errNoUTF8) || errors.Is(err, errTooLarge) {
		return true
	}
	reply, ok := errors.AsType[*textproto.Error](err)
	return ok && reply.Code >= 400 && reply.Code < 600 && reply.Code != 421
}
