package showcase

import (
	"fmt"
	"net/netip"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// logins returns the tenant's logins, ordered by day, oldest first. Some were abandoned at each of their steps.
func (h *history) logins() []*login.Past {
	var list []*login.Past
	for days := Days - 1; days >= 0; days-- {
		for range h.count(days, 4) {
			list = append(list, h.login(h.ago(days)))
		}
	}
	return list
}

func (h *history) login(at time.Time) *login.Past {
	who, client := pick(h, customers()), h.o.Clients[0]
	p := &login.Past{
		Client: &client, Phone: phone.Number(who.number), Name: who.name, Provider: login.WhatsApp, Lang: i18n.FR, StartedAt: at,
		Caller: tenant.Caller{IP: netip.AddrFrom4([4]byte{41, 73, byte(96 + h.random.IntN(32)), 7}), RequestID: id.New(at)},
	}
	if others := h.o.Clients[1:]; len(others) > 0 && h.chance(20) {
		numbers := phone.SandboxNumbers()
		*p.Client, p.Phone, p.Name, p.Provider = pick(h, others), pick(h, numbers), "", login.Sandbox
	}
	p.RedirectURI = p.Client.RedirectURIs[0]
	if h.chance(25) {
		p.Lang = i18n.EN
	}
	step := func(after time.Duration, percent float64) (reached time.Time) {
		if at = at.Add(after); !h.chance(percent) || at.After(h.o.Now) {
			return time.Time{}
		}
		return at
	}
	if p.ActivatedAt = step(h.about(2*time.Second, 4*time.Second), 91); p.ActivatedAt.IsZero() {
		return p
	}
	if p.VerifiedAt = step(h.about(5*time.Second, 9*time.Second), 89); p.VerifiedAt.IsZero() || p.VerifiedAt.Sub(p.StartedAt) >= login.ProveTime {
		p.VerifiedAt = time.Time{}
		return p
	}
	if p.ConflictAt = step(h.about(time.Second, time.Second), 1.5); !p.ConflictAt.IsZero() {
		p.SecondPhone = phone.Number(fmt.Sprintf("2237009%04d", h.random.IntN(10_000)))
		return p
	}
	p.RedeemedAt = step(h.about(400*time.Millisecond, 900*time.Millisecond), 97)
	return p
}
