package cloudapi

import (
	"context"
	"encoding/json"
	"regexp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/phone"
)

// update is a change in a webhook call.
type update struct {
	field     string
	portfolio string // of the IDs in it; empty: unknown
	value     json.RawMessage
}

// value is the value of an update about one of our numbers.
type value struct {
	Metadata struct {
		PhoneNumberID word `json:"phone_number_id"`
		Display       word `json:"display_phone_number"`
	} `json:"metadata"`
	Contacts    list `json:"contacts"`
	Messages    list `json:"messages"`
	Statuses    list `json:"statuses"`
	Echoes      list `json:"message_echoes"`
	Preferences list `json:"user_preferences"`
	IDUpdates   list `json:"user_id_update"`
}

// report is a value with what its items share.
type report struct {
	value
	to        string // our number, E.164 digits
	portfolio string
	standby   bool // Meta's Business Agent has the conversations
	contacts  []person
}

var accountID = regexp.MustCompile(`\A[0-9]{1,32}\z`)

// readUpdates returns the updates of a call. The number of unreadable ones is returned, too; ok is false if the call as a
// whole can't be read.
func (s *settings) readUpdates(body []byte) (all []update, unreadable int, ok bool) {
	var call struct {
		Entry list `json:"entry"`
	}
	if !read(body, &call) {
		return nil, 0, false
	}
	if len(call.Entry) == 0 {
		unreadable++
	}
	for _, raw := range call.Entry {
		var e struct {
			ID      word `json:"id"`
			Changes list `json:"changes"`
		}
		if !read(raw, &e) {
			unreadable++
			continue
		}
		if len(e.Changes) == 0 {
			unreadable++
		}
		portfolio := s.Portfolio
		if portfolio == "" && accountID.MatchString(string(e.ID)) {
			portfolio = "waba:" + string(e.ID)
		}
		for _, raw := range e.Changes {
			var c struct {
				Field word            `json:"field"`
				Value json.RawMessage `json:"value"`
			}
			if !read(raw, &c) {
				unreadable++
				continue
			}
			all = append(all, update{string(c.Field), portfolio, c.Value})
		}
	}
	return all, unreadable, true
}

// drop counts and logs reports that are not passed on. kind is the name of a field, or of a type of messages.
func (s *sender) drop(kind, reason string, count int) {
	if count == 0 {
		return
	}
	for range count {
		s.unhandled(reason)
	}
	s.log.Warn("reports of Meta dropped: "+reason, "kind", httpcall.ProviderCode(kind), "count", count) //nolint:sloglint // one of five messages, so that the limit of the log is that of each reason
}

// handle passes an update to the sink. It returns an error only if something was not stored.
func (s *sender) handle(ctx context.Context, u *update) error {
	switch u.field {
	case "messages", "standby", "user_preferences", "user_id_update":
	default: // such as calls, history, smb_message_echoes, messaging_handovers, and those about the account or its templates
		s.drop(u.field, gateway.UnhandledKind, 1)
		return nil
	}
	r := &report{portfolio: u.portfolio, standby: u.field == "standby"}
	if !read(u.value, &r.value) {
		s.drop(u.field, gateway.UnhandledUnreadable, 1)
		return nil
	}
	items := len(r.Messages) + len(r.Statuses) + len(r.Echoes) + len(r.Preferences) + len(r.IDUpdates)
	known := false
	if r.to, known = s.settings.numberOf(&r.value); !known {
		s.drop(u.field, gateway.UnhandledNumber, max(items, 1))
		return nil
	}
	if items == 0 { // such as errors of the number
		s.drop(u.field, gateway.UnhandledKind, 1)
		return nil
	}
	if r.standby {
		s.standbyAt.Store(s.now().UnixNano())
	}
	r.contacts = r.people()
	s.drop("message_echoes", gateway.UnhandledKind, len(r.Echoes))
	for _, part := range []struct {
		items list
		pass  func(context.Context, *report, json.RawMessage) error
	}{{r.Messages, s.message}, {r.Statuses, s.status}, {r.Preferences, s.preference}, {r.IDUpdates, s.idUpdate}} {
		for _, raw := range part.items {
			if err := part.pass(ctx, r, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// numberOf returns our number that a value is about. known is false if it isn't configured. If the value doesn't name a
// number, it is the only one of the settings; of several, it is empty, and the sink looks for it.
func (s *settings) numberOf(v *value) (to string, known bool) {
	if id := string(v.Metadata.PhoneNumberID); accountID.MatchString(id) {
		to, known = s.byID[id]
		return to, known
	}
	if n, ok := phone.Parse(phone.Unformatted(string(v.Metadata.Display))); ok {
		return string(n), s.byNumber[string(n)] != ""
	}
	if len(s.byNumber) == 1 {
		for to = range s.byNumber {
			return to, true
		}
	}
	return "", true
}
