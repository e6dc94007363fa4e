package operator

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/stale"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

const plansPath = Home + "/plans"

func (p *Pages) plansRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: plansPath, Handler: p.page(p.plans)},
		{Method: "GET", Path: plansPath + "/{name}", Handler: p.page(p.plan)},
		{Method: "POST", Path: plansPath + "/{name}", Handler: p.form(p.setPlan)},
	}
}

func planPath(name string) string { return plansPath + "/" + url.PathEscape(name) }

func (p *Pages) plans(v *visit) error {
	found, err := verb[[]messagingadmin.Plan](v, "plans.list", messagingadmin.Nothing{})
	if err != nil {
		return err
	}
	page := web.OperatorPlans{}
	for _, plan := range found {
		page.Plans = append(page.Plans, web.OperatorPlanLine{
			URL: planPath(plan.Name), Name: plan.Name, DailyLimit: v.limit(plan.DailyLimit), Rate: v.limit(plan.Rate), RecipientCap: v.limit(plan.RecipientCap), Inbox: plan.Inbox,
		})
	}
	return v.show(web.PageOperatorPlans, page)
}

// limit writes a limit; there may be none.
func (v *visit) limit(n *int64) string {
	if n == nil {
		return v.lang.T("operator.plan.none")
	}
	return fmt.Sprint(*n)
}

func (p *Pages) plan(v *visit) error { return p.showPlan(v, http.StatusOK, nil) }

// showPlan shows one plan, and what a stale form had; nil: there was none.
func (p *Pages) showPlan(v *visit, status int, typed url.Values) error {
	found, err := verb[[]messagingadmin.Plan](v, "plans.list", messagingadmin.Nothing{})
	if err != nil {
		return err
	}
	for _, plan := range found {
		if plan.Name != v.r.PathValue("name") {
			continue
		}
		field := func(id string, n *int64) web.Field {
			f := web.Field{ID: id, Name: id, Label: v.lang.T(map[string]string{"daily": "operator.plan.daily", "rate": "operator.plan.rate", "cap": "operator.plan.cap"}[id]), InputMode: "numeric", Hint: v.lang.T("operator.plan.none_hint")}
			if n != nil {
				f.Value = fmt.Sprint(*n)
			}
			return f
		}
		page := web.OperatorPlan{
			URL: planPath(plan.Name), PlansURL: plansPath, Name: plan.Name, Inbox: plan.Inbox, Version: plan.Version, Fields: []web.Field{field("daily", plan.DailyLimit), field("rate", plan.Rate), field("cap", plan.RecipientCap)},
		}
		if typed != nil {
			v.showStale(page.Fields, typed)
			if page.Inbox = typed.Get("inbox") == "on"; page.Inbox != plan.Inbox {
				page.StaleInbox = v.lang.T("component.stale_value", v.lang.T(map[bool]string{true: "operator.plan.inbox_on", false: "operator.plan.inbox_off"}[plan.Inbox]))
			}
		}
		return v.showForm(status, web.PageOperatorPlan, page, "")
	}
	return kinds.NotFound.Err()
}

// setPlan changes a plan for every account on it, which the form asks to confirm.
func (p *Pages) setPlan(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	name := v.r.PathValue("name")
	daily, ok1 := number(in.Get("daily"))
	rate, ok2 := number(in.Get("rate"))
	limit, ok3 := number(in.Get("cap"))
	switch {
	case !ok1 || !ok2 || !ok3:
		return v.leave(planPath(name), once{wrong: "operator.plan.wrong"})
	case in.Get("confirm") != "yes":
		return v.leave(planPath(name), once{wrong: "operator.confirm.missing"})
	}
	inbox := in.Get("inbox") == "on"
	_, err = verb[messagingadmin.Plan](v, "plans.set", messagingadmin.PlanInput{Name: name, DailyLimit: &daily, Rate: &rate, RecipientCap: &limit, Inbox: &inbox, Version: in.Get(stale.Field)})
	if errors.Is(err, stale.Err) {
		return p.showPlan(v, http.StatusConflict, in)
	}
	return v.leaveAfter(err, planPath(name), planPath(name), once{done: "operator.done.saved"})
}
