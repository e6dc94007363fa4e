package smtp

import (
	"context"
	"errors"
	"net/textproto"
	"strconv"
	"time"

	"griot/gateway"
)

// stage is how far an attempt has come.
type stage int

const (
	atGreeting stage = iota // TCP, greeting, EHLO
	atTLS                   // STARTTLS and handshake
	atAuth
	atMail
	atRecipient
	atData
	atContent // the content and its final dot are being written
	atAnswer  // the final dot has left: only an answer tells what became of the message
)

var (
	errNoUTF8   = errors.New("the relay doesn't offer SMTPUTF8")
	errTooLarge = errors.New("the message is larger than the relay takes")
)

// deliver makes one transaction and returns how far it came, and why not to the end.
func (c *conn) deliver(ctx context.Context, m *mail, within time.Duration) (stage, *gateway.Error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	stop := context.AfterFunc(ctx, c.kill)
	reached, err := c.transact(m)
	if !stop() || err != nil && !spares(err) {
		c.broken = true
	}
	if err != nil {
		return reached, failed(ctx, reached, err)
	}
	return reached, nil
}

// transact is RFC 5321 §3.3.
func (c *conn) transact(m *mail) (stage, error) {
	if c.dirty {
		c.raw.command()
		if err := c.client.Reset(); err != nil {
			return atMail, err
		}
		c.dirty = false
	}
	if offered, _ := c.client.Extension("SMTPUTF8"); m.utf8 && !offered {
		return atMail, errNoUTF8
	}
	if _, limit := c.client.Extension("SIZE"); exceeds(len(m.content), limit) {
		return atMail, errTooLarge
	}
	// Asked for only when needed: a relay may have to bounce what it can't pass on with it.
	c.client.SkipSMTPUTF8(!m.utf8)
	c.dirty = true
	c.raw.command()
	if err := c.client.Mail(m.from); err != nil {
		return atMail, err
	}
	c.raw.command()
	if err := c.client.Rcpt(m.to); err != nil {
		return atRecipient, err
	}
	c.raw.command()
	if err := c.data(); err != nil {
		return atData, err
	}
	w := c.client.Text.DotWriter()
	if _, err := w.Write(m.content); err != nil {
		return atContent, err
	}
	// Without an error from Close all has been written, the dot last; with one, the dot has not.
	if err := w.Close(); err != nil {
		return atContent, err
	}
	c.raw.command()
	if _, _, err := c.client.Text.ReadResponse(2); err != nil {
		return atAnswer, err
	}
	c.dirty = false
	return atAnswer, nil
}

// data asks to send the content. The library's own command would hide whether the final dot was written.
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

// exceeds reports whether size is more than the parameter of SIZE allows (RFC 1870): 0 or none is no limit.
func exceeds(size int, limit string) bool {
	n, err := strconv.ParseUint(limit, 10, 63)
	return err == nil && n > 0 && uint64(size) > n
}

// spares reports whether the connection can be used after err: the relay has
// answered and stays, or was not asked.
func spares(err error) bool {
	if errors.Is(err, errNoUTF8) || errors.Is(err, errTooLarge) {
		return true
	}
	reply, ok := errors.AsType[*textproto.Error](err)
	return ok && reply.Code >= 400 && reply.Code < 600 && reply.Code != 421
}
