package api

import (
	"encoding/json"
	"net/http"
	"strconv"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/strictjson"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/webhooks"
)

type webhookAnswer struct {
	Success bool         `json:"success"`
	Webhook *webhookItem `json:"webhook"`
}

type webhookItem struct {
	URL                 string  `json:"url"`
	Enabled             bool    `json:"enabled"`
	DisabledAt          *string `json:"disabledAt"`
	DisabledReason      *string `json:"disabledReason"`
	PausedUntil         *string `json:"pausedUntil"`
	FailingSince        *string `json:"failingSince"`
	LastSuccessAt       *string `json:"lastSuccessAt"`
	LastFailureAt       *string `json:"lastFailureAt"`
	LastStatusCode      *int    `json:"lastStatusCode"`
	Pending             int     `json:"pending"`
	ReadReceipts        bool    `json:"readReceipts"`
	PreviousSecretUntil *string `json:"previousSecretUntil"`
}

// webhookState handles GET /api/webhooks.
func (a *API) webhookState(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.Endpoints.StateFor(r.Context(), c)
	if err != nil {
		return err
	}
	return a.writeWebhook(w, s)
}

// webhookEnable handles POST /api/webhooks/enable, for an endpoint that was disabled because it failed.
func (a *API) webhookEnable(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.Endpoints.EnableFor(r.Context(), c)
	if err != nil {
		return err
	}
	return a.writeWebhook(w, s)
}

// A webhookChange is an account's change of its endpoint. The URL is required, because a misspelled name must not remove
// the endpoint.
type webhookChange struct {
	URL json.RawMessage `json:"url"` // a string; null or empty: none
}

// parse returns the URL, or "" for none.
func (c *webhookChange) parse() (url string, err error) {
	if c.URL == nil {
		return "", apierror.InvalidRequest.On("url").Detailf("url is required. Use null to remove the endpoint.")
	}
	if err := strictjson.Unmarshal(c.URL, &url); err != nil {
		return "", apierror.InvalidRequest.On("url").Detailf("url must be a string or null.")
	}
	return url, nil
}

// webhookSet handles PUT /api/webhooks, which exists only if accounts set their own URL. Only its response contains a new
// secret.
func (a *API) webhookSet(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in webhookChange
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	url, err := in.parse()
	if err != nil {
		return err
	}
	s, secret, err := a.o.Endpoints.SetFor(r.Context(), c, url)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, webhookSetAnswer{a.webhookAnswer(s), textOrNull(secret)})
}

type webhookSetAnswer struct {
	webhookAnswer
	Secret *string `json:"secret"` // null: this request created none
}

type webhookSecretAnswer struct {
	Success             bool   `json:"success"`
	Secret              string `json:"secret"`
	PreviousSecretUntil string `json:"previousSecretUntil"`
}

// webhookRotate handles POST /api/webhooks/rotate-secret, which exists only if accounts set their own URL. Only its
// response contains the new secret.
func (a *API) webhookRotate(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	secret, until, err := a.o.Endpoints.RotateSecretFor(r.Context(), c)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, webhookSecretAnswer{true, secret, formatTime(until)})
}

func (a *API) writeWebhook(w http.ResponseWriter, s *webhook.State) error {
	return httpx.WriteJSON(w, http.StatusOK, a.webhookAnswer(s))
}

// webhookAnswer describes an endpoint; null for an account that has none.
func (a *API) webhookAnswer(s *webhook.State) webhookAnswer {
	out := webhookAnswer{Success: true}
	if s != nil && s.URL != "" {
		out.Webhook = &webhookItem{
			URL: s.URL, Enabled: s.DisabledAt.IsZero(), DisabledAt: formatTimeOrNull(s.DisabledAt), DisabledReason: textOrNull(s.DisabledFor), FailingSince: formatTimeOrNull(s.FailingSince),
			LastSuccessAt: formatTimeOrNull(s.LastSuccessAt), LastFailureAt: formatTimeOrNull(s.LastFailureAt), LastStatusCode: intOrNull(s.LastStatus), Pending: s.Pending, ReadReceipts: s.Choice,
		}
		if now := a.o.Now(); s.PausedUntil.After(now) {
			out.Webhook.PausedUntil = formatTimeOrNull(s.PausedUntil)
		}
		if s.PreviousUntil.After(a.o.Now()) {
			out.Webhook.PreviousSecretUntil = formatTimeOrNull(s.PreviousUntil)
		}
	}
	return out
}

// intOrNull returns nil for 0.
func intOrNull(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

type eventItem struct {
	EventID     string            `json:"eventId"`
	Type        string            `json:"type"`
	CreatedAt   string            `json:"createdAt"`
	Delivery    webhooks.Delivery `json:"delivery"`
	FailedTries int               `json:"failedTries"`
	NextTryAt   *string           `json:"nextTryAt"`
	DeliveredAt *string           `json:"deliveredAt"`
	FailedAt    *string           `json:"failedAt"`
}

func eventOf(s *webhooks.Stored) eventItem {
	return eventItem{
		EventID: s.ID, Type: s.Type, CreatedAt: formatTime(s.At), Delivery: s.Delivery, FailedTries: s.Tries,
		NextTryAt: formatTimeOrNull(s.NextTryAt), DeliveredAt: formatTimeOrNull(s.DeliveredAt), FailedAt: formatTimeOrNull(s.FailedAt),
	}
}

type eventsAnswer struct {
	Success    bool        `json:"success"`
	Events     []eventItem `json:"events"`
	Count      int         `json:"count"`
	NextCursor *string     `json:"nextCursor"`
}

// webhookEvents handles GET /api/webhooks/events, newest first. The cursor is the last event's ID.
func (a *API) webhookEvents(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f := &webhooks.Filter{Delivery: webhooks.Delivery(q.Get("delivery")), Before: q.Get("cursor"), Limit: defaultLogs}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxLogs {
			return apierror.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", maxLogs)
		}
	}
	found, next, err := a.o.Endpoints.EventsFor(r.Context(), c, f)
	if err != nil {
		return err
	}
	out := eventsAnswer{Success: true, Events: []eventItem{}, NextCursor: textOrNull(next)}
	for _, s := range found {
		out.Events = append(out.Events, eventOf(s))
	}
	out.Count = len(out.Events)
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type eventAnswer struct {
	Success bool `json:"success"`
	eventItem
	Body     string        `json:"body"`
	Attempts []attemptItem `json:"attempts"`
}

type attemptItem struct {
	At         string  `json:"at"`
	StatusCode *int    `json:"statusCode"`
	LatencyMs  int64   `json:"latencyMs"`
	Error      *string `json:"error"`
	Answer     string  `json:"answer"`
}

// webhookEvent handles GET /api/webhooks/events/:eventId, with the body and the result of each attempt.
func (a *API) webhookEvent(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.Endpoints.EventFor(r.Context(), c, r.PathValue("eventId"))
	if err != nil {
		return err
	}
	tries, err := a.o.Endpoints.AttemptsFor(r.Context(), c, s.ID)
	if err != nil {
		return err
	}
	out := eventAnswer{Success: true, eventItem: eventOf(s), Body: s.Body, Attempts: []attemptItem{}}
	for _, t := range tries {
		out.Attempts = append(out.Attempts, attemptItem{At: formatTime(t.At), StatusCode: intOrNull(t.Status), LatencyMs: t.Latency.Milliseconds(), Error: textOrNull(t.Error), Answer: t.Answer})
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type resendAnswer struct {
	Success bool `json:"success"`
	eventItem
}

// webhookResend handles POST /api/webhooks/events/:eventId/resend.
func (a *API) webhookResend(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.Endpoints.ResendFor(r.Context(), c, r.PathValue("eventId"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, resendAnswer{true, eventOf(s)})
}

type resendFailedBody struct {
	Since *string `json:"since"`
}

type resendFailedAnswer struct {
	Success bool `json:"success"`
	Resent  int  `json:"resent"`
}

// webhookResendFailed handles POST /api/webhooks/resend-failed.
func (a *API) webhookResendFailed(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in resendFailedBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if in.Since == nil {
		return apierror.InvalidRequest.On("since").Detailf("since is required.")
	}
	since, err := parseTime("since", in.Since)
	if err != nil {
		return err
	}
	n, err := a.o.Endpoints.ResendFailedFor(r.Context(), c, since)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, resendFailedAnswer{true, n})
}

type pingAnswer struct {
	Success bool   `json:"success"`
	EventID string `json:"eventId"`
}

// webhookPing handles POST /api/webhooks/ping.
func (a *API) webhookPing(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	p, err := a.o.Endpoints.PingFor(r.Context(), c)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusAccepted, pingAnswer{true, p.ID})
}
