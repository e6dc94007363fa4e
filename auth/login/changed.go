package login

import (
	"context"
	"slices"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// changeBatch is the number of profiles that one transaction marks. Other transactions wait for it on SQLite.
const changeBatch = 100

// numberReport is WhatsApp's report that a person has another number.
type numberReport struct {
	from, to phone.Number
	at       time.Time // by the gateway's clock, but not in the future
	gateway  string
}

// NumberChanged marks the LIVE profiles of a number that its person no longer has, with the new number, and notifies
// their tenants. No profile moves; see [Service.Move]. A report about the number that an earlier one has named continues
// it, and a report of the profile's own number removes the mark. It does nothing with other changes, and with reports of
// gateways that serve no receiver, because such a gateway can sign in no one either. The caller has checked that the
// change was reported at a number of the gateway.
//
// The profile's row is the guard, so each report is stored and told once, on whatever node and how often it arrives, and
// an older report never replaces a newer one. The profiles are marked in batches. After an error, the report can be
// repeated, and continues.
func (s *Service) NumberChanged(ctx context.Context, c *gateway.Change) error {
	r, ok := s.numberReport(c)
	for more := ok; more; {
		profiles, err := selectOlder(s.db.Read(ctx), r, changeBatch)
		if err != nil || len(profiles) == 0 {
			return err
		}
		slices.Sort(profiles) // all nodes lock the rows in one order
		if err := s.markChanged(ctx, r, profiles); err != nil {
			return err
		}
		more = len(profiles) == changeBatch
	}
	return nil
}

// numberReport returns the report in a change. ok is false if it names no two numbers, or isn't trusted.
func (s *Service) numberReport(c *gateway.Change) (r *numberReport, ok bool) {
	from, hasFrom := phone.Parse(c.OldNumber)
	to, hasTo := phone.Parse(c.From)
	if c.Kind != gateway.NumberChanged || c.Channel != gateway.WhatsApp || !hasFrom || !hasTo || from == to || !s.receivesBy(c.Gateway) {
		return nil, false
	}
	r = &numberReport{from: from, to: to, at: c.At, gateway: c.Gateway}
	if now := s.now(); r.at.After(now) || r.at.Before(time.UnixMilli(0)) {
		r.at = now
	}
	return r, true
}

// receivesBy reports whether a gateway serves a receiver.
func (s *Service) receivesBy(name string) bool {
	return name != "" && slices.ContainsFunc(s.receivers, func(r Receiver) bool { return r.Gateway == name })
}

// markChanged marks profiles in one transaction, with an event for each tenant.
func (s *Service) markChanged(ctx context.Context, r *numberReport, profiles []string) error {
	now, ids := s.now(), make([]string, len(profiles))
	for i := range ids {
		ids[i] = id.New(now) // a repeated transaction uses the same ones
	}
	marked := false
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		marked = false
		for i, profileID := range profiles {
			tenantID, number, found, err := markChanged(tx, profileID, r)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			marked = true
			e := &tenant.Event{ID: ids[i], TenantID: tenantID, Type: tenant.NumberChanged, At: now, Actor: tenant.ActorGateway + r.gateway, Mode: tenant.Live, Phone: r.to, Person: number}
			if err := tenant.Record(tx, e); err != nil {
				return err
			}
			if err := webhooks.Insert(tx, webhooks.NumberChanged, e, webhooks.Detail{Subject: profileID, Phone: number, NewPhone: r.to}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && marked {
		s.notify()
	}
	return err
}

// FindByNewNumber returns a tenant's people of whom WhatsApp has reported that they now have a number other than that of
// their profile.
func (s *Service) FindByNewNumber(ctx context.Context, tenantID string, number phone.Number) ([]Person, error) {
	return s.selectPeopleByNewPhone(ctx, tenantID, number)
}

// ForgetNewNumber removes a number from a tenant's profiles of which WhatsApp has reported it, with the events of the
// reports.
func (s *Service) ForgetNewNumber(ctx context.Context, tenantID string, number phone.Number) error {
	return s.db.Write(ctx, func(tx *db.Tx) error { return forgetNewNumber(tx, tenantID, number) })
}

// forgetNewNumber is [Service.ForgetNewNumber] in a transaction. The time of the report remains, so that the same report
// doesn't return.
func forgetNewNumber(tx *db.Tx, tenantID string, number phone.Number) error {
	profiles, err := clearNewNumber(tx, tenantID, number)
	if err != nil {
		return err
	}
	for _, profileID := range profiles {
		redacted, err := tenant.RedactNumberChanges(tx, tenantID, profileID)
		if err != nil {
			return err
		}
		for _, eventID := range redacted {
			if err := deleteWebhookEvent(tx, tenantID, id.Event+eventID); err != nil {
				return err
			}
		}
	}
	return nil
}
