package message

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/person"
)

// A Source is the interface that a message came through.
type Source string

// The sources.
const (
	SourceAPI       Source = "api"
	SourceBatch     Source = "batch"
	SourceOTP       Source = "otp"
	SourceInbox     Source = "inbox"
	SourceMCP       Source = "mcp"
	SourceCLI       Source = "cli"
	SourceDashboard Source = "dashboard"
	SourceNotice    Source = "notice" // Griot's messages to the account itself
)

// Sources lists the sources.
func Sources() []Source {
	return []Source{SourceAPI, SourceBatch, SourceOTP, SourceInbox, SourceMCP, SourceCLI, SourceDashboard, SourceNotice}
}

// Content is the content for the recipient.
type Content struct {
	Text    string `json:"text,omitempty"`
	HTML    string `json:"html,omitempty"`
	Subject string `json:"subject,omitempty"`
	Code    string `json:"code,omitempty"`   // the one-time code in Text
	Locale  string `json:"locale,omitempty"` // with Code and Preset: fr or en
	Sealed  string `json:"sealed,omitempty"` // of a sensitive message: all other fields, encrypted

	// Only on WhatsApp, for gateways that support it.
	Template    *gateway.Template    `json:"template,omitempty"`
	Category    string               `json:"category,omitempty"` // of Template: marketing, utility, or authentication; empty: unknown. Gateways don't get it
	Interactive *gateway.Interactive `json:"interactive,omitempty"`
	Preset      string               `json:"preset,omitempty"` // the source of Text
	Values      map[string]string    `json:"values,omitempty"` // with Preset: the values of its variables
}

// dropTemplates removes the fields that only WhatsApp's templates need.
func (c *Content) dropTemplates() {
	c.Preset, c.Values = "", nil
	if c.Code == "" {
		c.Locale = ""
	}
}

// A Request is a request to send a message. [Request.Check] checks and completes it.
type Request struct {
	To             string // as received
	Channel        gateway.Channel
	Content        Content
	Preset         string // fills Content (see Presets); empty: none
	Variables      map[string]string
	SenderID       string // one of the account's senders; empty: the first that can send
	Sandbox        bool
	Real           bool      // sent even if all messages are simulated
	Sensitive      bool      // a code or a recovery link, which is kept out of histories
	ScheduledAt    time.Time // zero: immediately
	ExpiresAt      time.Time // zero: at the end of the channel's lifetime
	IdempotencyKey string    // empty: none
	Source         Source
	Email          string        // Auto: the address for a fallback to email
	FallbackAfter  time.Duration // Auto: time to wait for DELIVERED before the next route; 0: no limit
	Retry          Retry
	Quick          bool // a one-time code
	Quiet          bool // sandbox: no simulated events
	GroupID        string
	MediaURL       string
	Caption        string // of the media; added to Content.Text
	ReplyTo        string // the ID of the message in the recipient's conversation that this one replies to; empty: none
	Metadata       Metadata
	Wrong          error // an error in a value that only the caller can check; nil: none. [Request.Check] returns it, so that a replay is handled first

	Address string // set by Check: the recipient in the form that gateways use
}

// Maximum distances of times in the future.
const (
	MaxAhead = 365 * 24 * time.Hour // for scheduledAt
	MaxLife  = 7 * 24 * time.Hour   // for expiresAt, after the message is due
)

// CheckTimes applies the rules for scheduledAt and expiresAt at now. It drops a scheduled time in the past, so that
// the message is sent immediately (M31, M40).
func (r *Request) CheckTimes(now time.Time) error {
	start := now
	switch {
	case r.ScheduledAt.IsZero():
	case r.Sensitive:
		return apierror.SensitiveNotAllowed.On("scheduledAt")
	case r.ScheduledAt.After(now.Add(MaxAhead)):
		return apierror.InvalidRequest.On("scheduledAt").Detailf("scheduledAt can be at most one year ahead.")
	case !r.ScheduledAt.After(now):
		r.ScheduledAt = time.Time{}
	default:
		start = r.ScheduledAt
	}
	if !r.ExpiresAt.IsZero() && (!r.ExpiresAt.After(start) || r.ExpiresAt.After(start.Add(MaxLife))) {
		return apierror.InvalidRequest.On("expiresAt").Detailf("expiresAt must be after the message is due, and at most seven days later.")
	}
	return nil
}

// Maximum lengths of contents, in characters.
const (
	MaxWhatsApp = 4096
	MaxSMS      = 1530 // ten segments of 153
	MaxEmail    = 200_000
	MaxSubject  = 255
)

// Check applies the rules for requests (M18 to M35) and sets Address. Its error contains the invalid field.
func (r *Request) Check() error {
	switch {
	case r.Wrong != nil:
		return r.Wrong
	case r.To == "":
		return apierror.InvalidRequest.On("to").Detailf("to is required.")
	case r.Channel == "":
		return apierror.InvalidRequest.On("channel").Detailf("channel is required.")
	}
	var err error
	switch r.Channel {
	case gateway.WhatsApp, gateway.SMS, Auto:
		err = r.checkRecipient()
	case gateway.Email:
		err = r.checkEmail()
	default:
		return apierror.InvalidChannel.On("channel")
	}
	if err == nil {
		err = r.checkRoutes()
	}
	if err == nil {
		err = r.checkSizes()
	}
	if err == nil {
		err = r.checkForms()
	}
	if err == nil {
		err = r.Metadata.check()
	}
	return err
}

// checkRecipient checks the recipient of WhatsApp, SMS, and Auto: a number, or an ID that only WhatsApp knows.
func (r *Request) checkRecipient() error {
	r.Address = person.Digits(r.To)
	switch person.KindOf(r.To) {
	case person.Number:
		if err := CheckLength("to", r.To); err != nil {
			return err
		}
	case person.ID:
		if r.Channel == gateway.SMS || r.Quick || r.Preset == presetOTP || r.Content.Code != "" {
			return apierror.NumberRequired.On("to")
		}
	case person.Email, person.Other:
		return apierror.InvalidPhone.On("to")
	}
	if r.Content.Text == "" && r.MediaURL == "" {
		return apierror.InvalidRequest.On("message").Detailf("message is required.")
	}
	r.Content.HTML = "" // ignored on this channel
	if r.Channel == gateway.SMS {
		r.Content.dropTemplates()
	}
	if r.Email == "" {
		r.Content.Subject = ""
	}
	return nil
}

// CheckLength refuses a number without a plus whose length is impossible for the calling code that it seems to start with:
// it is probably a national number, and with that calling code a stranger's. The error contains the number as it was read,
// because nothing else shows the misunderstanding. With a plus, any length is accepted.
func CheckLength(field, number string) error {
	n, ok := phone.Parse(number)
	if !ok || strings.HasPrefix(number, "+") || n.Possible() {
		return nil
	}
	code := n.Country()
	if lengths := phone.Lengths(code); lengths != "" {
		return apierror.InvalidPhone.On(field).Detailf("%s has no plus, so it reads as %s, but after +%s there must be %s digits. Start the number with a plus and its country code, such as +22370112233.", field, n.E164(), code, lengths)
	}
	return apierror.InvalidPhone.On(field).Detailf("%s has no plus, so it reads as %s, which starts with no country's calling code. Start the number with a plus and its country code, such as +22370112233.", field, n.E164())
}

func (r *Request) checkEmail() error {
	if err := CheckEmail("to", r.To); err != nil {
		return err
	}
	r.Address = r.To
	r.Content.dropTemplates()
	if r.Content.Text == "" && r.Content.HTML == "" {
		return apierror.InvalidRequest.On("message").Detailf("message or html is required.")
	}
	return nil
}

// MaxText returns the maximum length of a text on a channel, in characters. For Auto, it is that of WhatsApp, because
// longer texts than an SMS can have skip SMS.
func MaxText(c gateway.Channel) int {
	switch c {
	case gateway.SMS:
		return MaxSMS
	case gateway.Email:
		return MaxEmail
	case gateway.WhatsApp, Auto:
	}
	return MaxWhatsApp
}

func (r *Request) checkSizes() error {
	most := MaxText(r.Channel)
	switch {
	case r.Preset != "" && utf8.RuneCountInString(r.Content.Text) > most:
		return apierror.InvalidRequest.On("presetVariables").Detailf("The preset's text with its variables can have at most %d characters on this channel.", most)
	case utf8.RuneCountInString(r.Content.Text) > most:
		return apierror.InvalidRequest.On("message").Detailf("message can have at most %d characters on this channel.", most)
	case utf8.RuneCountInString(r.Content.HTML) > most:
		return apierror.InvalidRequest.On("html").Detailf("html can have at most %d characters.", most)
	case utf8.RuneCountInString(r.Content.Subject) > MaxSubject || strings.ContainsFunc(r.Content.Subject, unicode.IsControl):
		return apierror.InvalidRequest.On("subject").Detailf("subject can have at most %d characters, and no control characters.", MaxSubject)
	}
	return nil
}

// maxEmail is the maximum length of an address that a mail server must accept (RFC 5321 §4.5.3.1.3).
const maxEmail = 254

// MaxIdempotencyKey is the maximum length of an idempotency key, in characters.
const MaxIdempotencyKey = 255 // M65

// CheckIdempotencyKey checks a key: 1 to 255 printable Unicode characters.
func CheckIdempotencyKey(key string) error {
	n := utf8.RuneCountInString(key)
	if n < 1 || n > MaxIdempotencyKey || !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return apierror.InvalidIdempotencyKey.Err()
	}
	return nil
}
