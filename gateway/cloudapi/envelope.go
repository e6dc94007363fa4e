package cloudapi

import (
	"encoding/json"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// value is a change of one of our numbers. Its lists are decoded item by item, so that an
// unknown item doesn't affect the others.
type value struct {
	Metadata struct {
		PhoneNumberID string `json:"phone_number_id"`
	} `json:"metadata"`
	Contacts []json.RawMessage `json:"contacts"`
	Messages []json.RawMessage `json:"messages"`
	Statuses []json.RawMessage `json:"statuses"`
}

// readChanges returns the changes of a call that are about messages.
func readChanges(body []byte) ([]value, error) {
	var call struct {
		Entry []struct {
			Changes []struct {
				Field string          `json:"field"`
				Value json.RawMessage `json:"value"`
			} `json:"changes"`
		} `json:"entry"`
	}
	if err := json.Unmarshal(body, &call); err != nil {
		return nil, err
	}
	var values []value
	for _, e := range call.Entry {
		for _, c := range e.Changes {
			if c.Field != "messages" {
				continue
			}
			var v value
			if err := json.Unmarshal(c.Value, &v); err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// names returns people's profile names by number.
func (v *value) names() map[string]string {
	names := map[string]string{}
	for _, raw := range v.Contacts {
		var c struct {
			Profile struct {
				Name string `json:"name"`
			} `json:"profile"`
			ID string `json:"wa_id"`
		}
		if json.Unmarshal(raw, &c) == nil && c.ID != "" {
			names[c.ID] = httpcall.Text(c.Profile.Name)
		}
	}
	return names
}

// seconds is a Unix time, a JSON string or number.
type seconds struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *seconds) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	at, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil || at < 0 || at > 1<<40 {
		return strconv.ErrRange
	}
	s.Time = time.Unix(at, 0).UTC()
	return nil
}

// readReceipt parses a status; ok is false if it is no receipt.
func readReceipt(raw json.RawMessage) (r gateway.Receipt, ok bool) {
	var s struct {
		ID       string            `json:"id"`
		Status   string            `json:"status"`
		At       seconds           `json:"timestamp"`
		Callback string            `json:"biz_opaque_callback_data"`
		Errors   []json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(raw, &s) != nil || s.ID == "" && s.Callback == "" {
		return gateway.Receipt{}, false
	}
	r = gateway.Receipt{Ref: httpcall.Text(s.Callback), ProviderID: httpcall.Text(s.ID), At: s.At.Time}
	switch s.Status {
	case "sent":
		r.Status = gateway.ReceiptSent
	case "delivered":
		r.Status = gateway.ReceiptDelivered
	case "read", "played":
		r.Status = gateway.ReceiptRead
	case "failed":
		r.Status = gateway.ReceiptFailed
		var e apiError
		if len(s.Errors) == 0 || json.Unmarshal(s.Errors[0], &e) != nil {
			e = apiError{} // failed without a known reason
		}
		r.Err = codeError(e)
	default: // "deleted", "warning", unknown ones
		return gateway.Receipt{}, false
	}
	return r, true
}
