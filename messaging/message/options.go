package message

import (
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
)

// Limits of the fields for a message's routes.
const (
	MaxAttempts       = 10
	DefaultAttempts   = 3
	MinRetryDelay     = 100 * time.Millisecond
	MaxRetryDelay     = time.Hour
	DefaultRetryDelay = time.Second
	MaxFallbackAfter  = 24 * time.Hour
	captionJoin       = "\n"
)

// checkRoutes applies the rules for groups, media, routing, and retries.
func (r *Request) checkRoutes() error {
	auto, whatsapp := r.Channel == Auto, r.Channel == gateway.WhatsApp || r.Channel == Auto
	switch {
	case r.GroupID != "" && !whatsapp:
		return apierror.InvalidRequest.On("groupId").Detailf("Groups exist only on WhatsApp.")
	case r.GroupID != "" && r.Sensitive:
		return apierror.SensitiveNotAllowed.On("groupId")
	case r.GroupID != "" && !isGroup(r.GroupID):
		return apierror.InvalidRequest.On("groupId").Detailf("groupId must be the ID of a WhatsApp group, such as 120363000000000001@g.us.")
	case r.Email != "" && !auto:
		return apierror.InvalidRequest.On("email").Detailf("email needs channel auto. With channel email, send the address in to.")
	case r.FallbackAfter != 0 && !auto:
		return apierror.InvalidRequest.On("fallbackAfter").Detailf("fallbackAfter needs channel auto.")
	case r.FallbackAfter < 0 || r.FallbackAfter > MaxFallbackAfter:
		return apierror.InvalidRequest.On("fallbackAfter").Detailf("fallbackAfter must be 1 to %d seconds.", int(MaxFallbackAfter/time.Second))
	}
	if r.Email != "" {
		if err := CheckEmail("email", r.Email); err != nil {
			return err
		}
	}
	if err := r.Retry.check(); err != nil {
		return err
	}
	return r.checkMedia(whatsapp)
}

const maxGroup = 200

// isGroup reports whether s has the form of a group's ID: digits and hyphens from linked devices, or base64 from the
// Cloud API, and the domain of groups.
func isGroup(s string) bool {
	name, ok := strings.CutSuffix(s, "@g.us")
	return ok && name != "" && len(name) <= maxGroup && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_' && r != '='
	})
}

func (r *Request) checkMedia(whatsapp bool) error {
	switch {
	case r.MediaURL == "" && r.Caption != "":
		return apierror.InvalidRequest.On("caption").Detailf("caption needs mediaUrl.")
	case r.MediaURL == "":
		return nil
	case !whatsapp:
		return apierror.MediaNotSupported.On("mediaUrl")
	case r.Sensitive:
		return apierror.SensitiveNotAllowed.On("mediaUrl")
	}
	if r.Caption != "" { // WhatsApp has only one text with a picture
		if r.Content.Text != "" && r.Content.Text != r.Caption {
			r.Content.Text += captionJoin + r.Caption
		} else {
			r.Content.Text = r.Caption
		}
		r.Caption = ""
	}
	return nil
}

// check checks the limits. The zero value is one attempt.
func (t Retry) check() error {
	if t == (Retry{}) {
		return nil
	}
	if t.Max < 1 || t.Max > MaxAttempts || t.Delay < MinRetryDelay.Milliseconds() || t.Delay > MaxRetryDelay.Milliseconds() {
		return apierror.InvalidRequest.On("retry").Detailf("retry must be true, false, or an object with maxAttempts of 1 to %d and delayMs of %d to %d.",
			MaxAttempts, MinRetryDelay.Milliseconds(), MaxRetryDelay.Milliseconds())
	}
	return nil
}

// options returns the options of a checked request, which are stored with the message.
func (r *Request) options() Options {
	return Options{
		SenderID: r.SenderID, Email: r.Email, FallbackMs: r.FallbackAfter.Milliseconds(), Quick: r.Quick,
		GroupID: r.GroupID, MediaURL: r.MediaURL, ReplyTo: r.ReplyTo, Quiet: r.Quiet, Retry: r.Retry, Key: r.IdempotencyKey, Code: r.Quick || r.Preset == presetOTP,
		Marketing: r.Content.Category == CategoryMarketing,
	}
}
