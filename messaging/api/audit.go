package api

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

type auditAnswer struct {
	Success    bool         `json:"success"`
	Events     []auditEvent `json:"events"`
	Count      int          `json:"count"`
	NextCursor *string      `json:"nextCursor"`
}

type auditEvent struct {
	ID      string            `json:"id"`
	At      string            `json:"at"`
	Actor   auditActor        `json:"actor"`
	Action  string            `json:"action"`
	Target  *string           `json:"target"`
	Details map[string]string `json:"details"`
	Address *string           `json:"address"` // a /24 or /48 network; null: unknown
}

type auditActor struct {
	Type  actor.Type `json:"type"`
	ID    *string    `json:"id"`
	Email *string    `json:"email"`
}

func auditEventOf(e *audit.Event) auditEvent {
	out := auditEvent{
		ID: e.ID, At: formatTime(e.At), Actor: auditActor{e.Actor.Type, textOrNull(e.Actor.ID), textOrNull(e.Actor.Email)}, Action: e.Action, Target: textOrNull(e.Target),
		Details: e.Details, Address: textOrNull(e.Network),
	}
	if out.Details == nil {
		out.Details = map[string]string{}
	}
	return out
}

// audit handles GET /api/audit, newest first. The cursor is the last event's ID.
func (a *API) audit(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f := &audit.Filter{Action: q.Get("action"), Actor: q.Get("actor"), Before: q.Get("cursor"), Limit: defaultLogs}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxLogs {
			return apierror.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", maxLogs)
		}
	}
	if f.Since, f.Until, err = auditTimes(q); err != nil {
		return err
	}
	events, next, err := a.o.Directory.EventsFor(r.Context(), c, f)
	if err != nil {
		return err
	}
	out := auditAnswer{Success: true, Events: []auditEvent{}, Count: len(events), NextCursor: textOrNull(next)}
	for _, e := range events {
		out.Events = append(out.Events, auditEventOf(e))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// auditTimes parses since and until. There are no events before 1970.
func auditTimes(q url.Values) (since, until time.Time, err error) {
	if since, err = parseTime("since", textOrNull(q.Get("since"))); err != nil {
		return since, until, err
	}
	if since.Before(time.UnixMilli(0)) {
		since = time.Time{}
	}
	if until, err = parseEnd("until", textOrNull(q.Get("until"))); err == nil && !until.IsZero() && until.Before(time.UnixMilli(0)) {
		until = time.UnixMilli(0)
	}
	return since, until, err
}
