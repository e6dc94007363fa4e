package virtual

import (
	"net/http"

	"example.com/griot/internal/phone"
)

// listed is a phone, a mailbox, or a group on the page.
type listed struct {
	address address
	name    string
}

// recentPhones is the number of phones with the newest messages on the page, in addition to those of the options.
const recentPhones = 50

type phoneAnswer struct {
	Address string  `json:"address"`
	Name    *string `json:"name"`
	Kind    kind    `json:"kind"`
	Unread  int     `json:"unread"`
	LastAt  *string `json:"lastAt"`
	Online  bool    `json:"online"`
	Blocked bool    `json:"blocked"`
	// Members are the people of a group, by their numbers.
	Members []string `json:"members,omitempty"`
	// ID is there if the phone has or had a username.
	ID       string `json:"id,omitempty"`
	Username string `json:"username,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"` // the number
}

func (g *Gateway) listPhones(r *http.Request) (any, error) {
	ctx := r.Context()
	recent, err := g.store.recent(ctx, recentPhones)
	if err != nil {
		return nil, err
	}
	phones := []phoneAnswer{}
	seen := map[string]bool{}
	for _, p := range g.listedPhones {
		if seen[p.address.key] {
			continue
		}
		seen[p.address.key] = true
		a, err := g.store.activity(ctx, p.address.key)
		if err != nil {
			return nil, err
		}
		phones = append(phones, g.phone(p, a))
	}
	for _, a := range recent {
		if p, ok := parseAddress(a.address); ok && !seen[p.key] {
			seen[p.key] = true
			phones = append(phones, g.phone(listed{address: p}, a))
		}
	}
	for _, number := range g.people.named() {
		if !seen[number] && len(phones) < len(g.listedPhones)+recentPhones {
			phones = append(phones, g.phone(listed{address: address{number, kindPhone}}, activity{}))
		}
	}
	contacts, err := g.contacts(ctx)
	grouped := map[string]string{}
	for _, p := range phones {
		addGrouped(grouped, append([]string{p.Address}, p.Members...)...)
	}
	for _, c := range contacts {
		addGrouped(grouped, c.Address)
	}
	return map[string]any{"phones": phones, "contacts": append([]Contact{}, contacts...), "grouped": grouped}, err
}

// addGrouped adds addresses as people read them, for the page; scripts use the addresses themselves.
func addGrouped(grouped map[string]string, addresses ...string) {
	for _, a := range addresses {
		grouped[a] = phone.Grouped(a)
	}
}

func (g *Gateway) phone(p listed, a activity) phoneAnswer {
	s := g.phones.state(p.address.key)
	group, _ := g.group(p.address.key)
	who, _ := g.people.find(p.address.key)
	return phoneAnswer{
		p.address.key, nullable(p.name), p.address.kind, a.unread, timestamp(a.lastAt), !s.offline, s.blocked, group.Members,
		who.id, who.username, who.hidden,
	}
}

func (g *Gateway) setPhone(r *http.Request, body []byte) (int, any, error) {
	var online, blocked *bool
	if err := decode(body, map[string]any{"online": &online, "blocked": &blocked}); err != nil {
		return 0, nil, err
	}
	a, err := g.pathAddress(r)
	if err != nil {
		return 0, nil, err
	}
	s, ok := g.phones.set(a.key, online, blocked)
	if !ok {
		return 0, nil, badRequest("too_many_phones", "Too many phones are offline or blocked.")
	}
	if !s.offline {
		if err := g.store.release(r.Context(), a.key, g.now()); err != nil {
			return 0, nil, err
		}
		signal(g.wakeReceipts)
	}
	return http.StatusOK, map[string]any{"address": a.key, "online": !s.offline, "blocked": s.blocked}, nil
}
