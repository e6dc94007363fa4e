package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

const (
	defaultPeople = 50
	maxPeople     = 200
)

// personOut is a person in a list; unknown values are null, and NewPhone and ChangedAt are absent if no other number is
// reported.
type personOut struct {
	ID          string      `json:"id"`
	Mode        tenant.Mode `json:"mode"`
	Phone       *string     `json:"phone"` // masked
	DisplayName *string     `json:"displayName"`
	FirstSeenAt string      `json:"firstSeenAt"`
	LastSeenAt  string      `json:"lastSeenAt"`
	DetachedAt  *string     `json:"detachedAt"`
	NewPhone    string      `json:"newPhone,omitempty"` // masked
	ChangedAt   string      `json:"numberChangedAt,omitempty"`
	Username    string      `json:"preferredUsername,omitempty"` // absent before its first use
}

func newPersonOut(p *login.Person) personOut {
	out := personOut{ID: p.ID, Mode: p.Mode, FirstSeenAt: formatTime(p.FirstSeenAt), LastSeenAt: formatTime(p.LastSeenAt), Username: p.Username}
	if p.DetachedAt.IsZero() {
		number := p.Phone.Masked()
		out.Phone = &number
	} else {
		at := formatTime(p.DetachedAt)
		out.DetachedAt = &at
	}
	if p.NewPhone != "" {
		out.NewPhone, out.ChangedAt = p.NewPhone.Masked(), formatTime(p.ChangedAt)
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
		return apierror.AuthMalformed("cursor", "a nextCursor")
	}
	if s := q.Get("limit"); s != "" {
		if limit, err = strconv.Atoi(s); err != nil || limit < 1 || limit > maxPeople {
			return apierror.AuthMalformed("limit", "a number from 1 to 200")
		}
	}
	var page []login.Person
	var next string
	if q.Has("phone") {
		number, ok := phone.Parse(strings.TrimSpace(q.Get("phone")))
		if !ok {
			return apierror.AuthMalformed("phone", "a full number: its country code and 7 to 14 digits, with or without a plus")
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
	NewE164   string          `json:"newPhoneE164,omitempty"`
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
		return apierror.AuthPersonNotFound.Err()
	}
	out := exportOut{personOut: newPersonOut(&e.Person), Metadata: json.RawMessage(e.Person.Metadata), NewE164: string(e.Person.NewPhone), Events: []eventOut{}, Complete: e.Complete}
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

type moveIn struct {
	NewPhone *string `json:"newPhoneE164"`
}

type movedOut struct {
	Logins int `json:"logins"`
	Tokens int `json:"tokens"`
}

// movePerson moves a person to the number that WhatsApp has reported. The body names the number, so that a report between
// the tenant's decision and the call is not overlooked.
func (a *API) movePerson(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	profileID, err := pathID(r)
	if err != nil {
		return err
	}
	var in moveIn
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if in.NewPhone == nil {
		return missing("newPhoneE164")
	}
	number, ok := phone.Parse(*in.NewPhone)
	if !ok {
		return apierror.AuthMalformed("newPhoneE164", "the reported number: its country code and 7 to 14 digits, with or without a plus")
	}
	ended, err := a.logins.Move(r.Context(), t.ID, profileID, number)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, movedOut{ended.Logins, ended.Tokens})
}
