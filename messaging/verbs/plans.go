package verbs

import (
	"context"

	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
)

// A Plan is a plan as operators see it. Null means no limit.
type Plan struct {
	Name         string `json:"name" col:"PLAN"`
	DailyLimit   *int64 `json:"dailyLimit" col:"MESSAGES/DAY"`
	Rate         *int64 `json:"rate" col:"REQUESTS/SECOND"` // requests per second and key
	Inbox        bool   `json:"inbox" col:"INBOX"`
	RecipientCap *int64 `json:"recipientCap" col:"RECIPIENT CAP"`
	Version      string `json:"version"`
}

func shownPlan(p *account.Plan) Plan {
	return Plan{Name: p.Name, DailyLimit: nullIfZero(p.DailyLimit), Rate: nullIfZero(int64(p.Rate)), Inbox: p.Inbox, RecipientCap: nullIfZero(p.RecipientCap), Version: p.Version()}
}

// nullIfZero converts 0, which means no limit, to null.
func nullIfZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func (h *service) listPlans(ctx context.Context, _ *Nothing) ([]Plan, error) {
	found, err := h.Directory.Plans(ctx)
	return verb.Each(found, shownPlan), err
}

// PlanInput is a change of a plan. 0 means no limit, and null fields are unchanged.
type PlanInput struct {
	Name         string `json:"name" arg:"PLAN" help:"plan from griot admin plans list"`
	DailyLimit   *int64 `json:"dailyLimit" flag:"daily-limit" help:"messages per UTC day"`
	Rate         *int64 `json:"rate" flag:"rate" help:"requests per second and key; bursts can have twice as many"`
	Inbox        *bool  `json:"inbox" flag:"inbox" help:"include the inbox and the assistant endpoint"`
	RecipientCap *int64 `json:"recipientCap" flag:"recipient-cap" help:"daily messages per recipient, for accounts without their own cap"`
	Version      string `json:"version"` // the change is refused if the plan has another version; empty: not checked
}

const (
	maxRate  = 1_000_000
	maxLimit = 1_000_000_000_000
)

func (h *service) setPlan(ctx context.Context, in *PlanInput) (Plan, error) {
	for _, b := range []struct {
		n    *int64
		most int64
	}{{in.DailyLimit, maxLimit}, {in.Rate, maxRate}, {in.RecipientCap, maxLimit}} {
		if b.n != nil && (*b.n < 0 || *b.n > b.most) {
			return Plan{}, verb.Refuse("A limit must be 1 to %d, or 0 for no limit.", b.most)
		}
	}
	changed, err := h.Directory.SetShownPlan(ctx, in.Name, in.Version, func(p *account.Plan) {
		if in.DailyLimit != nil {
			p.DailyLimit = *in.DailyLimit
		}
		if in.Rate != nil {
			p.Rate = int(*in.Rate)
		}
		if in.Inbox != nil {
			p.Inbox = *in.Inbox
		}
		if in.RecipientCap != nil {
			p.RecipientCap = *in.RecipientCap
		}
	})
	if err != nil {
		return Plan{}, err
	}
	return shownPlan(changed), nil
}
