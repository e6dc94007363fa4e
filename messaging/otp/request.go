package otp

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/message"
)

// A Request is a request for a code.
type Request struct {
	To             string          // as received
	Channel        gateway.Channel // auto, whatsapp, or sms
	App            string          // the code's application: a name or an HTTPS origin; empty: none
	Locale         string          // fr or en
	Length         int             // number of digits
	TTL            time.Duration
	Sandbox        bool
	IdempotencyKey string // empty: none

	number phone.Number // set by check
}

// NewRequest returns a request with the defaults.
func NewRequest() *Request {
	return &Request{Channel: message.Auto, Locale: "fr", Length: DefaultLength, TTL: DefaultTTL}
}

// check checks the request and sets number.
func (r *Request) check() error {
	if r.To == "" {
		return apierror.InvalidRequest.On("to").Detailf("to is required.")
	}
	number, ok := phone.Parse(r.To)
	switch {
	case whatsappid.Is(r.To):
		return apierror.NumberRequired.On("to")
	case !ok:
		return apierror.InvalidPhone.On("to")
	}
	if err := message.CheckLength("to", r.To); err != nil {
		return err
	}
	r.number = number
	switch {
	case r.Channel != message.Auto && r.Channel != gateway.WhatsApp && r.Channel != gateway.SMS:
		return apierror.InvalidChannel.On("channel").Detailf("channel must be auto, whatsapp, or sms.")
	case utf8.RuneCountInString(r.App) > MaxApp || strings.ContainsFunc(r.App, func(c rune) bool { return !unicode.IsGraphic(c) }):
		return apierror.InvalidRequest.On("app").Detailf("app can have at most %d printable characters.", MaxApp)
	case r.Locale != "fr" && r.Locale != "en":
		return apierror.InvalidRequest.On("locale").Detailf("locale must be fr or en.")
	case r.Length < MinLength || r.Length > MaxLength:
		return apierror.InvalidRequest.On("length").Detailf("length must be %d to %d.", MinLength, MaxLength)
	case r.TTL < MinTTL || r.TTL > MaxTTL:
		return apierror.InvalidRequest.On("ttlSeconds").Detailf("ttlSeconds must be %d to %d.", int(MinTTL.Seconds()), int(MaxTTL.Seconds()))
	}
	return nil
}

// message returns the request for the code's message. It is quick, which means that all its routes are tried within
// the request, because a second copy does no harm and a late one is useless.
func (r *Request) message(content message.Content, expires time.Time) *message.Request {
	return &message.Request{
		To: r.To, Channel: r.Channel, Content: content, Sandbox: r.Sandbox, Sensitive: true, Quick: true,
		ExpiresAt: expires, IdempotencyKey: r.IdempotencyKey, Source: message.SourceOTP,
	}
}

// fingerprint identifies the request's content. It is keyed, because phone numbers can be guessed from a plain hash.
func (r *Request) fingerprint(of *seal.Secret) string {
	mark, key := of.Marked()
	sum := seal.MAC(key, strings.TrimPrefix(r.To, "+"), string(r.Channel), r.App, r.Locale, strconv.Itoa(r.Length), r.TTL.String(), strconv.FormatBool(r.Sandbox))
	return mark + base64.RawURLEncoding.EncodeToString(sum)
}
