package api

import (
	"net/http"
	"strconv"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/webhook"
)

type webhookOut struct {
	Webhook *webhookStateOut `json:"webhook"`
}

type webhookStateOut struct {
	URL           string  `json:"url"`
	Enabled       bool    `json:"enabled"`
	DisabledAt    *string `json:"disabledAt"`
	DisabledFor   *string `json:"disabledReason"`
	PausedUntil   *string `json:"pausedUntil"`
	FailingSince  *string `json:"failingSince"`
	LastSuccessAt *string `json:"lastSuccessAt"`
	LastFailureAt *string `json:"lastFailureAt"`
	LastStatus    *int    `json:"lastStatusCode"`
	Pending       int     `json:"pending"`
	PreviousUntil *string `json:"previousSecretUntil"`
}

// newWebhookOut returns the state of an endpoint; null for a tenant that has none.
func (a *API) newWebhookOut(s *webhook.State) webhookOut {
	if s == nil || s.URL == "" {
		return webhookOut{}
	}
	out := &webhookStateOut{
		URL: s.URL, Enabled: s.DisabledAt.IsZero(), DisabledAt: timeOrNull(s.DisabledAt), FailingSince: timeOrNull(s.FailingSince),
		LastSuccessAt: timeOrNull(s.LastSuccessAt), LastFailureAt: timeOrNull(s.LastFailureAt), Pending: s.Pending,
	}
	if s.DisabledFor != "" {
		out.DisabledFor = &s.DisabledFor
	}
	if s.LastStatus != 0 {
		out.LastStatus = &s.LastStatus
	}
	now := a.now()
	if s.PausedUntil.After(now) {
		out.PausedUntil = timeOrNull(s.PausedUntil)
	}
	if s.PreviousUntil.After(now) {
		out.PreviousUntil = timeOrNull(s.PreviousUntil)
	}
	return webhookOut{out}
}

func (a *API) webhook(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	s, err := a.endpoints.State(r.Context(), t.ID)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, a.newWebhookOut(s))
}

func (a *API) enableWebhook(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	s, err := a.endpoints.EnableOwn(r.Context(), t.ID)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, a.newWebhookOut(s))
}

type rotatedOut struct {
	Secret string `json:"webhookSecret"`
	Until  string `json:"previousSecretUntil"`
}

func (a *API) rotateWebhook(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	secret, until, err := a.endpoints.RotateOwn(r.Context(), t.ID)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, rotatedOut{secret, formatTime(until)})
}

type pingedOut struct {
	EventID string `json:"eventId"`
}

func (a *API) pingWebhook(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	eventID, err := a.endpoints.PingOwn(r.Context(), t.ID)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusAccepted, pingedOut{eventID})
}

// webhookEventOut is an event and the state of its delivery.
type webhookEventOut struct {
	EventID     string           `json:"eventId"`
	Type        string           `json:"type"`
	CreatedAt   string           `json:"createdAt"`
	Delivery    webhook.Delivery `json:"delivery"`
	FailedTries int              `json:"failedTries"`
	NextTryAt   *string          `json:"nextTryAt"`
	DeliveredAt *string          `json:"deliveredAt"`
	FailedAt    *string          `json:"failedAt"`
}

func newWebhookEventOut(s *webhook.Stored) webhookEventOut {
	return webhookEventOut{
		EventID: s.ID, Type: s.Type, CreatedAt: formatTime(s.At), Delivery: s.Delivery, FailedTries: s.Tries,
		NextTryAt: timeOrNull(s.NextTryAt), DeliveredAt: timeOrNull(s.DeliveredAt), FailedAt: timeOrNull(s.FailedAt),
	}
}

func timeOrNull(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	return new(formatTime(at))
}

type webhookEventsOut struct {
	Events     []webhookEventOut `json:"events"`
	NextCursor *string           `json:"nextCursor"`
}

// webhookEvents returns a page of the events for a tenant's endpoint.
func (a *API) webhookEvents(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f := &webhook.Filter{OwnerID: t.ID, Delivery: webhook.Delivery(q.Get("delivery")), Before: q.Get("cursor"), Limit: defaultEvents}
	switch {
	case f.Delivery != "" && !f.Delivery.Valid():
		return apierror.AuthMalformed("delivery", "pending, delivered, failed, or not_sent")
	case f.Before != "" && !webhook.ValidID(f.Before):
		return apierror.AuthMalformed("cursor", "a nextCursor")
	}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxEvents {
			return apierror.AuthMalformed("limit", "a number from 1 to 200")
		}
	}
	page, next, err := a.endpoints.Events(r.Context(), f)
	if err != nil {
		return err
	}
	out := webhookEventsOut{Events: []webhookEventOut{}}
	for _, s := range page {
		out.Events = append(out.Events, newWebhookEventOut(s))
	}
	if next != "" {
		out.NextCursor = &next
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

type attemptOut struct {
	At         string  `json:"at"`
	StatusCode *int    `json:"statusCode"`
	LatencyMs  int64   `json:"latencyMs"`
	Error      *string `json:"error"`
	Answer     string  `json:"answer"`
}

type webhookEventDetails struct {
	webhookEventOut
	Body     string       `json:"body"`
	Attempts []attemptOut `json:"attempts"`
}

// webhookEvent returns the body of an event and the result of each delivery attempt.
func (a *API) webhookEvent(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	s, err := a.endpoints.EventOwn(r.Context(), t.ID, r.PathValue("eventId"))
	if err != nil {
		return err
	}
	attempts, err := a.endpoints.Attempts(r.Context(), t.ID, s.ID)
	if err != nil {
		return err
	}
	out := webhookEventDetails{webhookEventOut: newWebhookEventOut(s), Body: s.Body, Attempts: []attemptOut{}}
	for _, attempt := range attempts {
		shown := attemptOut{At: formatTime(attempt.At), LatencyMs: attempt.Latency.Milliseconds(), Answer: attempt.Answer}
		if attempt.Status != 0 {
			shown.StatusCode = &attempt.Status
		}
		if attempt.Error != "" {
			shown.Error = &attempt.Error
		}
		out.Attempts = append(out.Attempts, shown)
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

// resendWebhookEvent posts an event again.
func (a *API) resendWebhookEvent(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	s, err := a.endpoints.ResendOwn(r.Context(), t.ID, r.PathValue("eventId"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, newWebhookEventOut(s))
}
