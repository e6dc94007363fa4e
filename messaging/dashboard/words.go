package dashboard

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// number writes 12480 as "12,480", in French with narrow spaces.
func number(lang i18n.Lang, n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && digits[i-1] != '-' && (len(digits)-i)%3 == 0 {
			if lang == i18n.FR {
				b.WriteRune('\u202f')
			} else {
				b.WriteByte(',')
			}
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// duration writes how long something took; a dash for nothing.
func duration(lang i18n.Lang, d *time.Duration) string {
	switch {
	case d == nil:
		return "–"
	case *d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "\u00a0ms"
	case *d < 2*time.Minute:
		return decimal(lang, d.Seconds()) + "\u00a0s"
	case *d < 2*time.Hour:
		return decimal(lang, d.Minutes()) + "\u00a0min"
	}
	return decimal(lang, d.Hours()) + "\u00a0h"
}

// decimal writes a number with one digit after the decimal mark, unless it is a zero.
func decimal(lang i18n.Lang, f float64) string {
	return strings.TrimSuffix(lang.Decimal(f), lang.Decimal(0)[1:])
}

// moment writes a time within a sentence, in the account's time zone.
func (v *visit) moment(at time.Time) string { return v.lang.Moment(at.In(v.zone())) }

// zone is the account's time zone.
func (v *visit) zone() *time.Location { return v.caller.Account.Location() }

func channelName(lang i18n.Lang, c gateway.Channel) string {
	switch c {
	case gateway.WhatsApp:
		return "WhatsApp"
	case gateway.SMS:
		return "SMS"
	case gateway.Email:
		return lang.T("dashboard.channel.email")
	case message.Auto:
		return lang.T("dashboard.channel.auto")
	}
	return string(c)
}

func statusName(lang i18n.Lang, s message.Status) string {
	switch s {
	case message.Scheduled:
		return lang.T("dashboard.status.scheduled")
	case message.Queued:
		return lang.T("dashboard.status.queued")
	case message.Sending:
		return lang.T("dashboard.status.sending")
	case message.Sent:
		return lang.T("dashboard.status.sent")
	case message.Failed:
		return lang.T("dashboard.status.failed")
	case message.Expired:
		return lang.T("dashboard.status.expired")
	case message.Delivered:
		return lang.T("dashboard.status.delivered")
	case message.Read:
		return lang.T("dashboard.status.read")
	case message.Canceled:
		return lang.T("dashboard.status.canceled")
	case message.Sandbox:
		return lang.T("dashboard.status.sandbox")
	}
	return string(s)
}

func tone(s message.Status) web.Tone {
	switch s {
	case message.Sent, message.Sending:
		return web.Info
	case message.Delivered, message.Read:
		return web.Good
	case message.Failed:
		return web.Bad
	case message.Expired, message.Sandbox:
		return web.Warn
	case message.Scheduled, message.Queued, message.Canceled:
	}
	return ""
}

func statusBadge(lang i18n.Lang, s message.Status) web.Badge {
	return web.Badge{Text: statusName(lang, s), Tone: tone(s)}
}

// reason says why an attempt failed, with the code that programs get.
func reason(lang i18n.Lang, f *message.Failure) string {
	if f == nil {
		return ""
	}
	code := f.Code
	if f.ProviderCode != "" {
		code += ", " + f.ProviderCode
	}
	_, cause, _ := lang.Reason(f.Code, string(f.Class))
	return lang.T("dashboard.reason.with_code", strings.TrimSuffix(cmp.Or(cause, f.Text()), "."), code)
}

// reasonLinks returns the links of a code: its explanation, and the failed messages with it.
func (v *visit) reasonLinks(code, class string) *web.Reason {
	return &web.Reason{Code: code, URL: web.ReasonURL(code, class), LogsURL: withQuery(logsPath, map[string]string{"code": code})}
}

// withQuery returns a path with those of the parameters that have a value.
func withQuery(path string, parameters map[string]string) string {
	q := url.Values{}
	for name, value := range parameters {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
