package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

const (
	defaultPeople = 50
	maxPeople     = 200
)

// personOut is a person in a list; unknown values are null.
type personOut struct {
	ID          string      `json:"id"`
	Mode        tenant.Mode `json:"mode"`
	Phone       *string     `json:"phone"` // masked
	DisplayName *string     `json:"displayName"`
	FirstSeenAt string      `json:"firstSeenAt"`
	LastSeenAt  string      `json:"lastSeenAt"`
	DetachedAt  *string     `json:"detachedAt"`
}

func newPersonOut(p *login.Person) personOut {
	out := personOut{ID: p.ID, Mode: p.Mode, FirstSeenAt: formatTime(p.FirstSeenAt), LastSeenAt: formatTime(p.LastSeenAt)}
	if p.DetachedAt.IsZero() {
		number := p.Phone.Masked()
		out.Phone = &number
	} else {
		at := formatTime(p.DetachedAt)
		out.DetachedAt = &at
	}
	if p.DisplayName != "" {
		out.DisplayName = &p.DisplayName
	}
	return out
}

type peopleOut struct {
	People     []personOut `json:"people"`
	NextCursor *string     `json:"nextCursor"`
}

// people returns a page of a tenant's people, or the people with a number.
func (a *API) people(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	before, limit := q.Get("cursor"), defaultPeople
	if before != "" && !id.Valid(before) {
		return malformed("cursor", "a nextCursor")
	}
	if s := q.Get("limit"); s != "" {
		if limit, err = strconv.Atoi(s); err != nil || limit < 1 || limit > maxPeople {
			return malformed("limit", "a number from 1 to 200")
		}
	}
	var page []login.Person
	var next string
	if q.Has("phone") {
		number, ok := phone.Parse(strings.TrimSpace(q.Get("phone")))
		if !ok {
			return malformed("phone", "a full number: its country code and 7 to 14 digits, with or without a plus")
		}
		page, err = a.logins.FindPeople(r.Context(), t.ID, number)
	} else {
		page, next, err = a.logins.ListPeople(r.Context(), t.ID, before, limit)
	}
	if err != nil {
		return err
	}
	out := peopleOut{People: []personOut{}}
	for i := range page {
		out.People = append(out.People, newPersonOut(&page[i]))
	}
	if next != "" {
		out.NextCursor = &next
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

// exportOut is all data that is stored about a person.
type exportOut struct {
	personOut
	PhoneE164 *string         `json:"phoneE164"`
	Metadata  json.RawMessage `json:"metadata"`
	Events    []eventOut      `json:"events"`
	Complete  bool            `json:"complete"`
}

// person returns all data that is stored about a person.
func (a *API) person(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	profileID, err := pathID(r)
	if err != nil {
		return err
	}
	e, err := a.logins.Export(r.Context(), t.ID, profileID)
	if err != nil {
		return err
	}
	if e == nil {
		return fault.AuthPersonNotFound.Err()
	}
	out := exportOut{personOut: newPersonOut(&e.Person), Metadata: json.RawMessage(e.Person.Metadata), Events: []eventOut{}, Complete: e.Complete}
	if e.Person.Phone != "" {
		number := string(e.Person.Phone)
		out.PhoneE164 = &number
	}
	for i := range e.Events {
		out.Events = append(out.Events, newEventOut(&e.Events[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

type erasedOut struct {
	Erased bool `json:"erased"`
}

// erasePerson deletes the data that is stored about a person. It can be repeated.
func (a *API) erasePerson(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	profileID, err := pathID(r)
	if err != nil {
		return err
	}
	erased, err := a.logins.Erase(r.Context(), t.ID, profileID)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, erasedOut{erased})
}
