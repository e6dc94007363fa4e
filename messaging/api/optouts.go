package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
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

// optOutAddress parses an address and returns it in the form that gateways use.
func optOutAddress(channel gateway.Channel, address string) (string, error) {
	address = strings.TrimSpace(address)
	if channel == gateway.Email {
		return address, message.CheckEmail("address", address)
	}
	switch kind := person.KindOf(address); {
	case kind == person.ID && channel != gateway.WhatsApp:
		return "", fault.NumberRequired.On("address").Detailf("address must be an E.164 phone number. Only WhatsApp has WhatsApp IDs.")
	case kind != person.Number && kind != person.ID:
		return "", fault.InvalidPhone.On("address").Detailf("address must be an E.164 phone number.")
	}
	return person.Digits(address), nil
}

func isChannel(c gateway.Channel) bool {
	return c == gateway.WhatsApp || c == gateway.SMS || c == gateway.Email
}

// optOuts handles GET /api/opt-outs, sorted by channel and address.
func (a *API) optOuts(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f := &optout.Filter{AccountID: c.Account.ID, Channel: gateway.Channel(q.Get("channel")), After: q.Get("cursor"), Limit: defaultLogs}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxLogs {
			return fault.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", maxLogs)
		}
	}
	if _, _, ok := optout.ParseID(f.After); f.After != "" && !ok {
		return fault.InvalidCursor.On("cursor")
	}
	if f.Channel != "" && !isChannel(f.Channel) {
		return fault.InvalidChannel.On("channel")
	}
	if f.Address = person.Digits(strings.TrimSpace(q.Get("address"))); f.Address != "" {
		f.Pseudonym = a.o.People.Pseudonym(c.Account.ID, f.Address)
	}
	if f.Search = strings.TrimSpace(q.Get("q")); !optout.Searchable(f.Search) {
		return fault.InvalidRequest.On("q").Detailf("q must be UTF-8 with at most %d characters.", optout.MaxSearch)
	}
	if f.Search != "" && f.Address == "" {
		f.Pseudonym = a.o.People.Pseudonym(c.Account.ID, person.Whole(f.Search))
	}
	list, next, err := optout.List(a.o.DB.Read(r.Context()), f)
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
	o, fresh, err := a.AddOptOut(r.Context(), c, in.Channel, in.Address)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
	}
	return httpx.WriteJSON(w, status, optOutAnswer{true, optOutOf(o)})
}

// AddOptOut blocks messages to an address on a channel. An existing opt-out is unchanged and is returned.
func (a *API) AddOptOut(ctx context.Context, c *account.Caller, channel gateway.Channel, given string) (o *optout.OptOut, fresh bool, err error) {
	if !isChannel(channel) {
		return nil, false, fault.InvalidChannel.On("channel")
	}
	address, err := optOutAddress(channel, given)
	if err != nil {
		return nil, false, err
	}
	now := a.o.Now()
	event := audit.New(ctx, now, c.Account.ID, audit.OptOutAdded, address, "channel", string(channel))
	o = &optout.OptOut{Channel: channel, Address: address, Reason: optout.Added, At: now}
	err = a.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if fresh, err = optout.Add(tx, c.Account.ID, channel, address, optout.Added, now); err != nil {
			return err
		}
		if !fresh {
			_, err = optout.Find(&tx.Query, c.Account.ID, o)
			return err
		}
		if err := audit.Record(tx, event); err != nil {
			return err
		}
		return account.NoteChange(tx)
	})
	if err != nil {
		return nil, false, err
	}
	a.o.Directory.Forget(c.Account.ID)
	return o, fresh, nil
}

// removeOptOut handles DELETE /api/opt-outs/:id.
func (a *API) removeOptOut(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if err := a.RemoveOptOut(r.Context(), c, r.PathValue("id")); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}

// RemoveOptOut allows messages to an address again.
func (a *API) RemoveOptOut(ctx context.Context, c *account.Caller, id string) error {
	channel, address, ok := optout.ParseID(id)
	if !ok {
		return fault.OptOutNotFound.Err()
	}
	found := false
	shown, scope := optout.Scope(channel)
	event := audit.New(ctx, a.o.Now(), c.Account.ID, audit.OptOutRemoved, address, "channel", string(shown), "scope", scope)
	err := a.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if found, err = optout.Remove(tx, c.Account.ID, channel, address); err != nil || !found {
			return err
		}
		if err := audit.Record(tx, event); err != nil {
			return err
		}
		return account.NoteChange(tx)
	})
	if err != nil {
		return err
	}
	a.o.Directory.Forget(c.Account.ID)
	if !found {
		return fault.OptOutNotFound.Err()
	}
	return nil
}
