package account

import (
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/audit"
)

// A Plan defines the limits of an account. Plans are database rows that an operator can change.
type Plan struct {
	Name         string
	DailyLimit   int64 // messages per UTC day; 0: no limit
	Rate         int   // requests per second and key, and twice as many in a burst; 0: no limit
	Inbox        bool  // includes the inbox and the assistant endpoint
	RecipientCap int64 // messages per recipient and day, for accounts without their own limit; 0: none

	position int // smallest plan first
}

// Plans with a special meaning.
const (
	planFree  = "free" // the plan after a subscription has expired
	planTrial = "pro"  // the plan of a trial
)

// ErrNoPlan reports that a plan does not exist.
var ErrNoPlan = errors.New("account: there is no such plan")

// A Subscription is the plan that an account has subscribed to. The plan in effect is free after the subscription has
// expired, and at least pro during a trial.
type Subscription struct {
	Plan        string
	ExpiresAt   time.Time // zero: never
	TrialEndsAt time.Time // zero: no trial
}

// Trial reports whether a trial is active.
func (s Subscription) Trial(now time.Time) bool { return now.Before(s.TrialEndsAt) }

// effectivePlan returns the plan that is in effect.
func (s Subscription) effectivePlan(plans plans, now time.Time) Plan {
	plan, ok := plans[s.Plan]
	if !ok || (!s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt)) {
		plan = plans[planFree]
	}
	if trial := plans[planTrial]; s.Trial(now) && trial.position > plan.position {
		return trial
	}
	return plan
}

// nextChange returns the time of the next possible change of the plan in effect, but not later than atLatest.
func (s Subscription) nextChange(now, atLatest time.Time) time.Time {
	for _, t := range []time.Time{s.ExpiresAt, s.TrialEndsAt} {
		if t.After(now) && t.Before(atLatest) {
			atLatest = t
		}
	}
	return atLatest
}

// plans contains all plans by name.
type plans map[string]Plan

// unlimitedPlan returns every account's plan if plans are disabled.
func unlimitedPlan() Plan { return Plan{Name: "unlimited", Inbox: true} }

// allPlans returns the plans, which can be up to 30 seconds old.
func (d *Directory) allPlans(ctx context.Context) (plans, error) {
	const key = ""
	p, epoch, ok := d.plans.get(key, d.now())
	if ok {
		return p, nil
	}
	list, err := selectPlans(d.db.Read(ctx))
	if err != nil {
		return nil, err
	}
	p = plans{}
	for _, plan := range list {
		p[plan.Name] = plan
	}
	d.plans.put(key, p, epoch, d.now().Add(cacheLifetime))
	return p, nil
}

// Plans lists the plans, smallest first.
func (d *Directory) Plans(ctx context.Context) ([]Plan, error) { return selectPlans(d.db.Read(ctx)) }

// SetPlan changes a plan for all accounts that have it. change might be called twice.
//
// Errors: [ErrNoPlan].
func (d *Directory) SetPlan(ctx context.Context, name string, change func(*Plan)) (*Plan, error) {
	return d.SetShownPlan(ctx, name, "", change)
}

// SetShownPlan is like [Directory.SetPlan], for a form that showed a version of the plan: see [Plan.Version].
//
// Errors: [ErrNoPlan], [forms.ErrStale].
func (d *Directory) SetShownPlan(ctx context.Context, name, shown string, change func(*Plan)) (*Plan, error) {
	var changed *Plan
	event := audit.New(ctx, d.now(), "", audit.PlanChanged, name)
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if found, err := lockPlan(tx, name); err != nil || !found {
			return ErrNoPlan, err
		}
		list, err := selectPlans(&tx.Query)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if p.Name == name {
				stored := p.Version()
				change(&p)
				changed, refused = &p, forms.CheckVersion(shown, stored, p.Version())
			}
		}
		if refused == nil {
			err = storePlan(tx, changed, event)
		}
		return refused, err
	})
	d.ForgetAll()
	return changed, err
}

// storePlan stores a changed plan and its event.
func storePlan(tx *db.Tx, p *Plan, event *audit.Event) error {
	if err := updatePlan(tx, p); err != nil {
		return err
	}
	return recordChange(tx, event.With("dailyLimit", strconv.FormatInt(p.DailyLimit, 10), "rate", strconv.Itoa(p.Rate),
		"inbox", strconv.FormatBool(p.Inbox), "recipientCap", strconv.FormatInt(p.RecipientCap, 10)))
}
