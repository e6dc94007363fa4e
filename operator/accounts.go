package operator

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/stale"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

const (
	accountsPath = Home + "/accounts"
	listed       = 50 // lines of a page
)

func (p *Pages) accountsRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: accountsPath, Handler: p.page(p.accounts)},
		{Method: "GET", Path: accountsPath + "/{id}", Handler: p.page(p.account)},
		{Method: "POST", Path: accountsPath + "/{id}", Handler: p.form(p.setAccount)},
		{Method: "POST", Path: accountsPath + "/{id}/delete", Handler: p.form(p.deleteAccount)},
		{Method: "POST", Path: accountsPath + "/{id}/reopen", Handler: p.form(p.reopenAccount)},
		{Method: "POST", Path: accountsPath + "/{id}/keys/{key}/revoke", Handler: p.form(p.revokeKey)},
		{Method: "POST", Path: accountsPath + "/{id}/members/{member}/remove", Handler: p.form(p.removeMember)},
	}
}

func accountPath(id string) string { return accountsPath + "/" + url.PathEscape(id) }

// older leads through a list whose next page begins before an id.
func (v *visit) older(path, next string) web.Pagination {
	out := web.Pagination{}
	if next != "" {
		q := v.r.URL.Query()
		q.Set("before", next)
		out.OlderURL = httpx.WithQuery(path, q)
	}
	if v.r.URL.Query().Get("before") != "" {
		q := v.r.URL.Query()
		q.Del("before")
		out.FirstURL = httpx.WithQuery(path, q)
		out.Text = v.lang.T("operator.older")
	}
	return out
}

// accounts lists the accounts, or finds some.
func (p *Pages) accounts(v *visit) error {
	q := v.r.URL.Query()
	in := messagingadmin.AccountSearch{Text: strings.TrimSpace(q.Get("q")), Before: q.Get("before"), Limit: listed}
	found, err := verb[messagingadmin.AccountPage](v, "accounts.find", in)
	if err != nil {
		return err
	}
	page := web.OperatorAccounts{URL: accountsPath, Query: in.Text, Pages: v.older(accountsPath, found.Next)}
	for i := range found.Accounts {
		page.Accounts = append(page.Accounts, v.accountLine(&found.Accounts[i]))
	}
	return v.show(web.PageOperatorAccounts, page)
}

func (v *visit) accountLine(a *messagingadmin.Account) web.OperatorAccountLine {
	out := web.OperatorAccountLine{URL: accountPath(a.ID), ID: a.ID, Name: a.Name, Email: a.Email, Plan: web.Badge{Text: a.Effective, Tone: web.Info}, CreatedAt: a.CreatedAt}
	if a.Effective != a.Plan {
		out.Plan.Tone, out.Given = web.Warn, a.Plan
	}
	if a.PlanExpiresAt != nil {
		out.ExpiresAt = *a.PlanExpiresAt
	}
	return out
}

// account shows one account.
func (p *Pages) account(v *visit) error { return p.showAccount(v, http.StatusOK, nil) }

// showAccount shows one account, and what a stale form had; nil: there was none.
func (p *Pages) showAccount(v *visit, status int, typed url.Values) error {
	of := messagingadmin.OfAccount{Account: v.r.PathValue("id")}
	a, err := verb[messagingadmin.Account](v, "accounts.show", of)
	if err != nil {
		return err
	}
	of.Account = a.ID
	plans, err := verb[[]messagingadmin.Plan](v, "plans.list", messagingadmin.Nothing{})
	if err != nil {
		return err
	}
	keys, err := verb[[]messagingadmin.Key](v, "api-keys.list", of)
	if err != nil {
		return err
	}
	senders, err := verb[[]messagingadmin.Sender](v, "senders.list", messagingadmin.OfAccount{Account: a.ID})
	if err != nil {
		return err
	}
	members, err := verb[[]messagingadmin.Member](v, "members.list", of)
	if err != nil {
		return err
	}
	page := web.OperatorAccount{OperatorAccountLine: v.accountLine(&a), AccountsURL: accountsPath, WebhookURL: webhookPath(a.ID), AuditURL: httpx.WithQuery(auditPath, url.Values{"account": {a.ID}}), Stats: v.accountStats(&a, plans), Fields: v.accountFields(&a), Version: a.Version, Plans: web.Select{ID: "plan", Name: "plan", Label: v.lang.T("operator.account.plan")}}
	selected := a.Plan
	if typed != nil {
		v.showStale(page.Fields, typed)
		selected = typed.Get("plan")
		page.Plans.Wrong = web.StaleText(v.lang, selected, a.Plan)
	}
	if a.ClosedAt != nil {
		page.ClosedAt = *a.ClosedAt
	}
	for _, plan := range plans {
		page.Plans.Options = append(page.Plans.Options, web.Option{Value: plan.Name, Label: plan.Name, Selected: plan.Name == selected})
	}
	from, to := v.part(&page.Pages, accountPath(a.ID), max(len(keys), len(senders), len(members)))
	for i := from; i < min(to, len(keys)); i++ {
		page.Keys = append(page.Keys, v.keyLine(a.ID, &keys[i]))
	}
	for i := from; i < min(to, len(senders)); i++ {
		s := &senders[i]
		page.Senders = append(page.Senders, web.OperatorAccountSender{URL: senderPath(s.ID), Channel: channelName(s.Channel), Address: s.Address, Gateway: s.Gateway})
	}
	for i := from; i < min(to, len(members)); i++ {
		page.Members = append(page.Members, v.memberLine(a.ID, &members[i]))
	}
	return v.showForm(status, web.PageOperatorAccount, page, "")
}

// accountStats says how much of its quota the account has used.
func (v *visit) accountStats(a *messagingadmin.Account, plans []messagingadmin.Plan) []web.Stat {
	quota := web.Stat{Label: v.lang.T("operator.account.quota"), Value: "–", Note: v.lang.T("operator.account.unlimited")}
	if a.UsedToday != nil {
		quota.Value = fmt.Sprint(*a.UsedToday)
	}
	for _, p := range plans {
		if p.Name == a.Effective && p.DailyLimit != nil {
			quota.Note = v.lang.T("operator.account.of", *p.DailyLimit)
			if a.UsedToday != nil && *a.UsedToday >= *p.DailyLimit {
				quota.Trend = web.TrendBad
			}
		}
	}
	effective := web.Stat{Label: v.lang.T("operator.account.effective"), Value: a.Effective}
	if a.Effective != a.Plan {
		effective.Note = v.lang.T("operator.account.given", a.Plan)
	}
	return []web.Stat{effective, quota, v.dateStat("operator.account.expires", a.PlanExpiresAt), v.dateStat("operator.account.trial", a.TrialEndsAt)}
}

func (v *visit) dateStat(label string, at *time.Time) web.Stat {
	s := web.Stat{Label: v.lang.T(label), Value: "–"}
	if at != nil {
		s.Value, s.Note = at.UTC().Format(time.DateOnly), at.UTC().Format("15:04")+" UTC"
	}
	return s
}

func (v *visit) accountFields(a *messagingadmin.Account) []web.Field {
	limit := ""
	if a.RecipientCap != nil {
		limit = fmt.Sprint(*a.RecipientCap)
	}
	return []web.Field{
		{ID: "expires", Name: "expires", Type: "date", Label: v.lang.T("operator.account.expires"), Value: dateOf(a.PlanExpiresAt), Hint: v.lang.T("operator.account.expires_hint")},
		{ID: "trial", Name: "trial", Type: "date", Label: v.lang.T("operator.account.trial"), Value: dateOf(a.TrialEndsAt), Hint: v.lang.T("operator.account.trial_hint")},
		{ID: "cap", Name: "cap", Label: v.lang.T("operator.account.cap"), Value: limit, InputMode: "numeric", Hint: v.lang.T("operator.account.cap_hint")},
	}
}

func dateOf(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}

func (v *visit) keyLine(accountID string, k *messagingadmin.Key) web.OperatorKey {
	out := web.OperatorKey{ID: k.ID, Kind: k.Kind, Masked: k.Prefix + "…", CreatedAt: k.CreatedAt, RevokeURL: accountPath(accountID) + "/keys/" + url.PathEscape(k.ID) + "/revoke"}
	if k.LastUsedAt != nil {
		out.LastUsedAt = *k.LastUsedAt
	}
	if k.RevokedAt != nil {
		out.RevokedAt, out.RevokeURL = *k.RevokedAt, ""
	}
	return out
}

func (v *visit) memberLine(accountID string, m *messagingadmin.Member) web.OperatorMember {
	out := web.OperatorMember{ID: m.ID, Email: m.Email, Role: m.Role, RemoveURL: accountPath(accountID) + "/members/" + url.PathEscape(m.ID) + "/remove"}
	if m.JoinedAt != nil {
		out.JoinedAt = *m.JoinedAt
	}
	return out
}

// setAccount changes what the account has been given.
func (p *Pages) setAccount(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	a, err := verb[messagingadmin.Account](v, "accounts.show", messagingadmin.OfAccount{Account: v.r.PathValue("id")})
	if err != nil {
		return notFound(err)
	}
	change := messagingadmin.AccountChange{Account: a.ID}
	if plan := in.Get("plan"); plan != a.Plan {
		change.Plan = &plan
	}
	limit, ok := number(in.Get("cap"))
	if change.PlanExpiresAt, ok = changedDate(in.Get("expires"), a.PlanExpiresAt, ok); ok {
		change.TrialEndsAt, ok = changedDate(in.Get("trial"), a.TrialEndsAt, ok)
	}
	if !ok {
		return v.leave(accountPath(a.ID), once{wrong: "operator.account.wrong"})
	}
	change.RecipientCap, change.Version = &limit, in.Get(stale.Field)
	_, err = verb[messagingadmin.Account](v, "accounts.set", change)
	if errors.Is(err, stale.Err) {
		return p.showAccount(v, http.StatusConflict, in)
	}
	return v.leaveAfter(err, accountPath(a.ID), accountPath(a.ID), once{done: "operator.done.saved"})
}

// number reads a whole number; nothing is 0.
func number(s string) (n int64, ok bool) {
	if s = strings.TrimSpace(s); s == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// changedDate reads a date, which is its beginning in UTC; nil where it is the day that was there, and the zero time for none.
func changedDate(s string, before *time.Time, ok bool) (*time.Time, bool) {
	if !ok || s == dateOf(before) {
		return nil, ok
	}
	if s == "" {
		return &time.Time{}, true
	}
	at, err := time.Parse(time.DateOnly, s)
	return &at, err == nil
}

// notFound turns a verb's refusal of what a form is about into "not found".
func notFound(err error) error {
	if text, ok := admin.Refusal(err); ok {
		return kinds.NotFound.Err().Detailf("%s", text)
	}
	return err
}

func (p *Pages) revokeKey(v *visit) error {
	accountID := v.r.PathValue("id")
	return act(v, accountPath(accountID)+"#keys", "api-keys.revoke", messagingadmin.InAccount{Account: accountID, ID: v.r.PathValue("key")}, done("operator.done.revoked"))
}

func (p *Pages) removeMember(v *visit) error {
	accountID := v.r.PathValue("id")
	return act(v, accountPath(accountID)+"#members", "members.remove", messagingadmin.InAccount{Account: accountID, ID: v.r.PathValue("member")}, done("operator.done.removed"))
}
