package stripe

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/webhook"

	"example.com/griot/messaging/billing"
)

// tolerance is the maximum difference between the time of an event's signature and now, in both directions.
const tolerance = 5 * time.Minute

// maxID is the maximum length of an event's stored values.
const maxID = 255

// relevant lists the prefixes of event types that can change the state.
var relevant = []string{"customer.subscription.", "invoice.", "checkout.session.", "customer.deleted"}

// Event implements [billing.Provider]. The SDK checks the signature. The time is compared with now.
func (p *Provider) Event(body []byte, signature string, now time.Time) (*billing.Event, error) {
	if webhook.ValidatePayloadIgnoringTolerance(body, signature, p.o.WebhookSecret) != nil || !fresh(signature, now) {
		return nil, billing.ErrSignature
	}
	var e sdk.Event
	if err := json.Unmarshal(body, &e); err != nil || e.Data == nil || !plainID(e.ID) || !plainID(string(e.Type)) {
		return nil, billing.ErrMalformed
	}
	out := &billing.Event{ID: e.ID, Type: string(e.Type), Mode: billing.Test}
	if e.Livemode {
		out.Mode = billing.Live
	}
	if e.Account == "" && isRelevant(out.Type) { // with Connect, events of other accounts also arrive
		out.Customer = customerOf(e.Data.Object)
	}
	return out, nil
}

// fresh reports whether a signature's time is recent. If there are several times, the last one is used, as in the SDK.
func fresh(signature string, now time.Time) bool {
	seconds := int64(0)
	for pair := range strings.SplitSeq(signature, ",") {
		if value, ok := strings.CutPrefix(pair, "t="); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return false
			}
			seconds = n
		}
	}
	return now.Sub(time.Unix(seconds, 0)).Abs() <= tolerance
}

func plainID(s string) bool {
	return s != "" && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isRelevant(eventType string) bool {
	for _, prefix := range relevant {
		if strings.HasPrefix(eventType, prefix) {
			return true
		}
	}
	return false
}

// customerOf returns the customer of an event's object, which is in its field or is the object itself.
func customerOf(object map[string]any) string {
	id := object["customer"]
	if object["object"] == "customer" {
		id = object["id"]
	}
	if expanded, ok := id.(map[string]any); ok {
		id = expanded["id"]
	}
	s, ok := id.(string)
	if !ok || !plainID(s) {
		return ""
	}
	return s
}
