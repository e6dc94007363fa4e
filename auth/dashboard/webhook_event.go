package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"example.com/griot/internal/phone"
	"example.com/griot/web"
)

// webhookEvent is the page about one event, with its body and the result of each delivery attempt.
type webhookEvent struct {
	ListURL, ResendURL string
	ID, Type           string
	Delivery           web.Badge
	At, NextTryAt      time.Time
	Body               web.Code
	Masked             bool // only some digits of a number in the body are shown
	Attempts           []webhookAttempt
}

type webhookAttempt struct {
	At      time.Time
	Result  web.Badge
	Latency string
	Answer  string
}

// webhookEvent handles GET /dashboard/webhook/events/{eventId}.
func (d *Dashboard) webhookEvent(w http.ResponseWriter, r *http.Request, v *visit) error {
	s, err := d.Endpoints.EventOwn(r.Context(), v.tenant.ID, r.PathValue("eventId"))
	if err != nil {
		return err
	}
	attempts, err := d.Endpoints.Attempts(r.Context(), v.tenant.ID, s.ID)
	if err != nil {
		return err
	}
	at := webhookPath + "/events/" + s.ID
	page := &webhookEvent{ListURL: webhookPath, ResendURL: at + "/resend", ID: s.ID, Type: s.Type, Delivery: deliveryBadge(v.lang, s.Delivery), At: s.At, NextTryAt: s.NextTryAt}
	page.Body = web.Code{ID: "body", Title: v.lang.T("tenant.webhook.body")}
	page.Body.Text, page.Masked = shownBody(s.Body)
	for _, a := range attempts {
		shown := webhookAttempt{At: a.At, Latency: v.lang.T("tenant.webhook.ms", strconv.FormatInt(a.Latency.Milliseconds(), 10)), Answer: a.Answer, Result: web.Badge{Text: orDash(a.Status), Tone: web.Good}}
		if a.Error != "" {
			shown.Result = web.Badge{Text: a.Error, Tone: web.Bad}
			if a.Status != 0 {
				shown.Result.Text = strconv.Itoa(a.Status)
			}
		}
		page.Attempts = append(page.Attempts, shown)
	}
	return d.show(w, r, v, http.StatusOK, pageTenantWebhookEvent, d.taken(w, r, v), page)
}

var fullNumber = regexp.MustCompile(`("phone_e164":\s*)"([0-9]+)"`)

// shownBody returns an event's body over several lines, with the number masked.
func shownBody(body string) (text string, masked bool) {
	var lines bytes.Buffer
	if json.Indent(&lines, []byte(body), "", "  ") != nil {
		return body, false
	}
	text = fullNumber.ReplaceAllStringFunc(lines.String(), func(found string) string {
		masked = true
		parts := fullNumber.FindStringSubmatch(found)
		return parts[1] + `"` + phone.Number(parts[2]).Masked() + `"`
	})
	return text, masked
}

// resendWebhookEvent handles POST /dashboard/webhook/events/{eventId}/resend.
func (d *Dashboard) resendWebhookEvent(w http.ResponseWriter, r *http.Request, v *visit) error {
	s, err := d.Endpoints.ResendOwn(r.Context(), v.tenant.ID, r.PathValue("eventId"))
	if err != nil {
		return err
	}
	return d.done(w, v, webhookPath+"/events/"+s.ID, once{Done: "tenant.done.resent"})
}
