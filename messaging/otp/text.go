package otp

import (
	"strconv"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/sms"
	"example.com/griot/messaging/message"
)

// compose composes the message of a code from the preset otp. If app is an origin, it adds the last line with which a
// browser passes the code to the page (WICG, "Origin-bound one-time codes"). If the text is longer than one SMS
// segment and a shorter version is not, it shortens the text: it first removes accents that SMS does not support from
// the name, then leaves out the minutes, and then, for an origin, which the last line contains, the name.
func (s *Service) compose(r *Request, code string) (message.Content, error) {
	name, lastLine := r.App, ""
	host, bound := hostOf(r.App)
	if bound {
		name, lastLine = host, "\n@"+host+" #"+code
	}
	minutes := strconv.Itoa(int((r.TTL + time.Minute - 1) / time.Minute))
	transliterated := sms.Transliterate(name)
	variants := []struct{ name, minutes string }{{name, minutes}, {transliterated, minutes}, {transliterated, ""}}
	if bound {
		variants = append(variants, struct{ name, minutes string }{"", minutes}, struct{ name, minutes string }{"", ""})
	}
	var longest message.Content
	for i, v := range variants {
		filled := &message.Request{Preset: "otp", Variables: map[string]string{"code": code, "app": v.name, "minutes": v.minutes, "locale": r.Locale}}
		if err := s.o.Presets.Apply(filled); err != nil {
			return message.Content{}, err
		}
		filled.Content.Text += lastLine
		if _, segments, _ := sms.Measure(filled.Content.Text); segments == 1 || r.Channel == gateway.WhatsApp {
			return filled.Content, nil
		}
		if i == 0 {
			longest = filled.Content
		}
	}
	return longest, nil
}

const maxHost = 253

// hostOf returns the host of an HTTPS origin, or of a text that is a host in lowercase. It returns false for an
// origin with a port, because the last line of a message cannot contain a port.
func hostOf(app string) (string, bool) {
	host := app
	if rest, ok := strings.CutPrefix(app, "https://"); ok {
		host = strings.ToLower(strings.TrimSuffix(rest, "/"))
	}
	labels := strings.Split(host, ".")
	if len(labels) < 2 || len(host) > maxHost {
		return "", false
	}
	for _, l := range labels {
		if !isLabel(l) {
			return "", false
		}
	}
	top := labels[len(labels)-1]
	if len(top) < 2 || top[0] >= '0' && top[0] <= '9' { // an IP address, or a version such as 2.0
		return "", false
	}
	return host, true
}

// isLabel reports whether s is a single label of a host (RFC 1123 §2.1), in lowercase.
func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return strings.IndexFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' }) < 0
}
