package api

import (
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

type optOutsAnswer struct {
	Success    bool         `json:"success"`
	OptOuts    []optOutItem `json:"optOuts"`
	Count      int          `json:"count"`
	NextCursor *string      `json:"nextCursor"`
}

type optOutItem struct {
	ID      string          `json:"id"`
	Channel gateway.Channel `json:"channel"`
	Scope   string          `json:"scope,omitempty"`
	Address string          `json:"address"`
	Source  optout.Reason   `json:"source"`
	Since   string          `json:"since"`
}

func optOutOf(o *optout.OptOut) optOutItem {
	channel, scope := optout.Scope(o.Channel)
	return optOutItem{o.ID(), channel, scope, phone.Shown(o.Address), o.Reason, formatTime(o.At)}
}

// optOuts handles GET /api/opt-outs, sorted by channel and address.
func (a *API) optOuts(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f := &optout.Filter{Channel: gateway.Channel(q.Get("channel")), After: q.Get("cursor"), Limit: defaultLogs}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxLogs {
			return apierror.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", maxLogs)
		}
	}
	f.Address, f.Search = person.Digits(strings.TrimSpace(q.Get("address"))), strings.TrimSpace(q.Get("q"))
	list, next, err := a.o.OptOuts.List(r.Context(), c, f)
	if err != nil {
		return err
	}
	out := optOutsAnswer{Success: true, OptOuts: []optOutItem{}, Count: len(list), NextCursor: textOrNull(next)}
	for _, o := range list {
		out.OptOuts = append(out.OptOuts, optOutOf(o))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type optOutBody struct {
	Channel gateway.Channel `json:"channel"`
	Address string          `json:"address"`
}

type optOutAnswer struct {
	Success bool       `json:"success"`
	OptOut  optOutItem `json:"optOut"`
}

// addOptOut handles POST /api/opt-outs. An existing opt-out is unchanged.
func (a *API) addOptOut(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in optOutBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	o, fresh, err := a.o.OptOuts.Add(r.Context(), c, in.Channel, in.Address)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
	}
	return httpx.WriteJSON(w, status, optOutAnswer{true, optOutOf(o)})
}

// removeOptOut handles DELETE /api/opt-outs/:id.
func (a *API) removeOptOut(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if err := a.o.OptOuts.Remove(r.Context(), c, r.PathValue("id")); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}
