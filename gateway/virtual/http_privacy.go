package virtual

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// privacyAnswer is a phone's identity on WhatsApp.
type privacyAnswer struct {
	Address  string  `json:"address"`
	ID       *string `json:"id"` // null if the phone never had a username
	Username *string `json:"username"`
	Hidden   bool    `json:"hidden"`
}

func (p person) answer() privacyAnswer {
	return privacyAnswer{p.number, nullable(p.id), nullable(p.username), p.hidden}
}

// pathPhone returns the person whose phone has a request's address.
func (g *Gateway) pathPhone(r *http.Request) (p person, known bool, err error) {
	a, err := g.pathAddress(r)
	if err == nil && a.kind != kindPhone {
		err = badRequest("invalid_address", "Only a phone has WhatsApp.")
	}
	if err != nil {
		return person{}, false, err
	}
	p, known = g.people.find(a.key)
	return p, known, nil
}

func (g *Gateway) getPrivacy(r *http.Request) (any, error) {
	p, _, err := g.pathPhone(r)
	return p.answer(), err
}

func (g *Gateway) setPrivacy(r *http.Request, body []byte) (int, any, error) {
	var username *string
	var hidden *bool
	if err := decode(body, map[string]any{"username": &username, "hidden": &hidden}); err != nil {
		return 0, nil, err
	}
	g.people.changing.Lock()
	defer g.people.changing.Unlock()
	p, known, err := g.pathPhone(r)
	if err != nil {
		return 0, nil, err
	}
	if username != nil {
		p.username = strings.TrimPrefix(*username, "@")
	}
	if hidden != nil {
		p.hidden = *hidden
	} else if p.username == "" {
		p.hidden = false
	}
	switch {
	case p.username != "" && !validUsername(p.username):
		return 0, nil, badRequest("invalid_username", "The username has to have 3 to 35 characters of a-z, 0-9, dot, and underscore, with at least one letter.")
	case p.hidden && p.username == "":
		return 0, nil, badRequest("username_required", "Only a phone with a username can hide its number.")
	case !known && p.username == "":
		return http.StatusOK, p.answer(), nil
	case !known && g.people.full():
		return 0, nil, badRequest("too_many_phones", "Too many phones have a username.")
	case !known:
		p.id = personID(p.number, p.owner)
	}
	if err := g.changePeople(r.Context(), []person{p}, nil); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, p.answer(), nil
}

// changePeople stores people and the changes that the sink gets. The caller holds people.changing.
func (g *Gateway) changePeople(ctx context.Context, list []person, changes []gateway.Change) error {
	if err := g.store.changePeople(ctx, list, changes); err != nil {
		return err
	}
	g.people.put(list...)
	signal(g.wakeChanges)
	return nil
}

// changeNumber gives a phone's person another number. The messages stay in the list of the former number. Each of our
// numbers with which the person has a conversation gets the change.
func (g *Gateway) changeNumber(r *http.Request, body []byte) (int, any, error) {
	var to string
	if err := decode(body, map[string]any{"to": &to}); err != nil {
		return 0, nil, err
	}
	g.people.changing.Lock()
	defer g.people.changing.Unlock()
	before, known, err := g.pathPhone(r)
	if err != nil {
		return 0, nil, err
	}
	number, ok := phone.Parse(to)
	switch {
	case !ok || string(number) == before.number:
		return 0, nil, badRequest("invalid_number", "The member to has to be another phone number.")
	case known && g.people.full():
		return 0, nil, badRequest("too_many_phones", "Too many phones have a username.")
	}
	list := g.people.moved(before, string(number))
	after := list[0]
	if after.id == "" { // nothing to keep
		list = nil
	}
	told, err := g.correspondents(r.Context(), before.number)
	if err != nil {
		return 0, nil, err
	}
	change := gateway.Change{
		Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, From: after.shownNumber(), Person: after.gatewayID(),
		OldNumber: before.shownNumber(), OldID: before.id, At: g.now(),
	}
	if before.hidden {
		change.Kind = gateway.IDChanged
	}
	changes := make([]gateway.Change, len(told))
	for i, our := range told {
		changes[i] = change
		changes[i].ID, changes[i].To = idPrefix+id.New(change.At), our
	}
	if err := g.changePeople(r.Context(), list, changes); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, after.answer(), nil
}

// correspondents returns our numbers with which a phone has exchanged WhatsApp messages, in order.
func (g *Gateway) correspondents(ctx context.Context, number string) ([]string, error) {
	list, err := g.store.messages(ctx, number)
	var ours []string
	for i := range list {
		if m := &list[i]; m.channel == gateway.WhatsApp {
			ours = append(ours, m.peer())
		}
	}
	slices.Sort(ours)
	return slices.Compact(ours), err
}
