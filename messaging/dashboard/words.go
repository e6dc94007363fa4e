package dashboard

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/isotime"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

func number(lang i18n.Lang, n int64) string { return lang.Number(n) }

// duration formats a duration. It returns a dash for nil.
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

// decimal formats a number with one decimal place, unless that is a zero.
func decimal(lang i18n.Lang, f float64) string {
	return strings.TrimSuffix(lang.Decimal(f), lang.Decimal(0)[1:])
}

// moment formats a time within a sentence, in the account's time zone.
func (v *visit) moment(at time.Time) string { return v.lang.Moment(at.In(v.zone())) }

// zone returns the account's time zone.
func (v *visit) zone() *time.Location { return v.caller.Account.Location() }

// startOfDay returns the first moment of a time's day in the account's time zone, or of the day n days later.
func (v *visit) startOfDay(at time.Time, n int) time.Time {
	year, month, day := at.In(v.zone()).Date()
	return isotime.StartOfDay(year, month, day+n, v.zone())
}

func channelName(lang i18n.Lang, c gateway.Channel) string {
	return lang.Named("dashboard.channel_", string(c))
}

func statusName(lang i18n.Lang, s message.Status) string {
	return lang.Named("dashboard.status_", string(s))
}

// capitalized returns a name with a capital letter at the start.
func capitalized(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// tones are the tones of message statuses. Other statuses are neutral.
var tones = map[message.Status]web.Tone{
	message.Sent: web.Info, message.Sending: web.Info, message.Delivered: web.Good, message.Read: web.Good,
	message.Failed: web.Bad, message.Expired: web.Warn, message.Sandbox: web.Warn,
}

func statusBadge(lang i18n.Lang, s message.Status) web.Badge {
	return web.Badge{Text: statusName(lang, s), Tone: tones[s]}
}

// reason explains why an attempt failed, with the code for programs.
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

// withQuery returns a path with those parameters that have a value.
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
