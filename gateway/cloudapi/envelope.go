package cloudapi

import (
	"encoding/json"
	"strconv"
	"time"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
)

// value is what changed for one of our numbers. What it lists is decoded one by one, so that
// something unheard-of harms nothing beside it.
type value struct {
	Metadata struct {
		PhoneNumberID string `json:"phone_number_id"`
	} `json:"metadata"`
	Contacts []json.RawMessage `json:"contacts"`
	Messages []json.RawMessage `json:"messages"`
	Statuses []json.RawMessage `json:"statuses"`
}

// read returns the changes of a call that are about messages.
func read(body []byte) ([]value, error) {
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

// names returns what people call themselves, by number.
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

// seconds is a time in Unix seconds, written as a string or as a number.
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

// receipt reads a status. What none of our messages can have is not one.
func receipt(raw json.RawMessage) (gateway.Receipt, bool) {
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
	r := gateway.Receipt{Ref: httpcall.Text(s.Callback), ProviderID: httpcall.Text(s.ID), At: s.At.Time}
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
			e = apiError{} // it failed, for whatever reason
		}
		r.Err = failureOf(e)
	default: // "deleted", "warning", and what is yet to come
		return gateway.Receipt{}, false
	}
	return r, true
}
