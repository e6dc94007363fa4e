package api

import (
	"net/http"
	"slices"
	"strconv"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

const (
	defaultEvents = 50
	maxEvents     = 200
)

type eventsOut struct {
	Events     []eventOut `json:"events"`
	NextCursor *string    `json:"nextCursor"`
}

// tenantEvents returns a page of a tenant's audit events.
func (a *API) tenantEvents(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f := tenant.EventFilter{Type: q.Get("type"), LoginID: q.Get("loginId"), Before: q.Get("cursor"), Limit: defaultEvents}
	switch {
	case f.Type != "" && !slices.Contains(tenant.EventTypes(), f.Type):
		return apierror.AuthMalformed("type", "the type of an event")
	case f.LoginID != "" && !id.Valid(f.LoginID):
		return apierror.AuthMalformed("loginId", anID26)
	case f.Before != "" && !id.Valid(f.Before):
		return apierror.AuthMalformed("cursor", "a nextCursor")
	}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxEvents {
			return apierror.AuthMalformed("limit", "a number from 1 to 200")
		}
	}
	page, next, err := a.tenants.SearchEvents(r.Context(), t.ID, f)
	if err != nil {
		return err
	}
	out := eventsOut{Events: []eventOut{}}
	for i := range page {
		out.Events = append(out.Events, newEventOut(&page[i]))
	}
	if next != "" {
		out.NextCursor = &next
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}
