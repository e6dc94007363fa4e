package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/person"
)

// People returns the table of commands for accounts' data about a person.
func People(people *erasure.Service, directory *account.Directory) verb.Verbs {
	h := &peopleData{service{Options{Directory: directory}}, people}
	return byOperator(h, peopleVerbs())
}

func peopleVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("accounts.people.export", "Export the data that an account stores about a person", verb.Reads, (*peopleData).export).As(""),
		verb.Define("accounts.people.erase", "Erase the data that an account stores about a person", verb.Deletes, (*peopleData).erase).As(""),
	}
}

type peopleData struct {
	service

	people *erasure.Service
}

// PersonInput identifies a person of an account by a number or an email address.
type PersonInput struct {
	Account string `json:"account"`
	Address string `json:"address"`
}

// PersonData is an account's data about a person.
type PersonData struct {
	AccountID string          `json:"accountId" row:"account"`
	Account   string          `json:"account"`
	Data      json.RawMessage `json:"data"` // in the format of the owner's export; null: no data
}

func (h *peopleData) named(ctx context.Context, in *PersonInput) (*account.Account, *person.Person, error) {
	a, err := h.existing(ctx, in.Account)
	if err != nil {
		return nil, nil, err
	}
	p, err := h.people.Person(ctx, a.ID, phone.Contact(in.Address))
	if err != nil {
		return nil, nil, verb.Refuse("Specify the person by a phone number with its country code, or by an email address.")
	}
	return a, p, nil
}

// data returns an account's data about a person, or nil if there is none.
func (h *peopleData) data(ctx context.Context, p *person.Person) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := h.people.Export(ctx, p, &b, func() error { return nil }); err != nil {
		return nil, err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(b.Bytes(), &parts); err != nil {
		return nil, err
	}
	for _, name := range []string{"messages", "conversations", "received", "codes", "events", "optOuts"} {
		var list []json.RawMessage
		if err := json.Unmarshal(parts[name], &list); err != nil {
			return nil, err
		}
		if len(list) > 0 {
			return b.Bytes(), nil
		}
	}
	return nil, nil
}

func (h *peopleData) export(ctx context.Context, in *PersonInput) (PersonData, error) {
	a, p, err := h.named(ctx, in)
	if err != nil {
		return PersonData{}, err
	}
	out := PersonData{AccountID: a.ID, Account: a.Name}
	if out.Data, err = h.data(ctx, p); err != nil || out.Data == nil {
		return out, err
	}
	return out, h.people.RecordExport(ctx, p)
}

// A PersonErasure is the progress of erasing a person in an account.
type PersonErasure struct {
	AccountID string `json:"accountId" row:"account"`
	Account   string `json:"account"`
	ID        string `json:"id"`   // empty: the account has no data about the person
	Done      bool   `json:"done"` // false: the same call continues it, and so does a running server
	Messages  int64  `json:"messages"`
	Canceled  int64  `json:"canceled"`
	Received  int64  `json:"received"`
	Events    int64  `json:"events"`
}

const latestErasures = 100

func (h *peopleData) erase(ctx context.Context, in *PersonInput) (PersonErasure, error) {
	a, p, err := h.named(ctx, in)
	if err != nil {
		return PersonErasure{}, err
	}
	out := PersonErasure{AccountID: a.ID, Account: a.Name, Done: true}
	begun, err := h.people.Erasures(ctx, a.ID, latestErasures)
	if err != nil {
		return PersonErasure{}, err
	}
	if !slices.ContainsFunc(begun, func(e *erasure.Erasure) bool { return e.Pseudonym == p.Pseudonym && !e.Done() }) {
		if has, err := h.data(ctx, p); err != nil || has == nil {
			return out, err
		}
	}
	e, err := h.people.Erase(ctx, p)
	if err != nil {
		return PersonErasure{}, err
	}
	out.ID, out.Done, out.Messages, out.Canceled, out.Received, out.Events = e.ID, e.Done(), e.Messages, e.Canceled, e.Received, e.Events
	return out, nil
}
