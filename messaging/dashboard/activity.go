package dashboard

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/web"
)

const activityPath = "/dashboard/activity"

func (d *Dashboard) activityRoutes() []httpx.Route {
	return []httpx.Route{d.member("GET", activityPath, account.MayReadAudit, d.activity)}
}

const pageActivity = "dashboard_activity" // activity

const eventsOnPage = 50

// activity is the page of the account's audit log, newest first. The URL contains all filters.
type activity struct {
	list
	period
	Actor, Action web.Select
	Events        []activityEvent
}

// An activityEvent is an event as a sentence.
type activityEvent struct {
	Actor, What string
	URL         string // the page of the item in the sentence; empty: no page
	Details     []string
	Network     string
	At          time.Time
}

// activity handles GET /dashboard/activity.
func (d *Dashboard) activity(v *visit) error {
	q := v.r.URL.Query()
	members, err := d.o.Directory.MembersFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	page := &activity{list: list{AllURL: v.url(activityPath)}, period: v.period(q)}
	f, ok := page.filter(v, q, members)
	if !ok {
		return d.serve(v, http.StatusBadRequest, pageActivity, activityPath, page)
	}
	events, next, err := d.o.Directory.EventsFor(v.r.Context(), v.caller, f)
	if e, ok := refusal(err); ok {
		if page.Wrong = v.lang.T("dashboard.logs.wrong"); e.Kind == apierror.InvalidCursor {
			page.Wrong = explain(v.lang, e)
		}
		return d.serve(v, e.Kind.Status, pageActivity, activityPath, page)
	}
	if err != nil {
		return err
	}
	projects, err := d.o.Directory.ProjectsFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	viewed := slices.DeleteFunc(slices.Clone(events), func(e *audit.Event) bool { return e.Action != audit.MessageViewed })
	ids := make([]string, len(viewed))
	for i, e := range viewed {
		ids[i] = e.Target
	}
	recipients, err := d.o.Messages.Recipients(v.r.Context(), v.caller, ids)
	if err != nil {
		return err
	}
	for _, e := range events {
		page.Events = append(page.Events, activityOf(v, e, projects, recipients))
	}
	none := web.Empty{Icon: "clock", Title: v.lang.T("dashboard.activity.none"), Text: v.lang.T("dashboard.activity.none_text")}
	page.finish(v, len(page.Events), f.Before, next, v.placeIn(activityPath, q, "actor", "action", "since", "until"), "dashboard.activity.list_", none)
	return d.serve(v, http.StatusOK, pageActivity, activityPath, page)
}

// filter parses the query and fills in the form. ok is false if the query is invalid.
func (p *activity) filter(v *visit, q url.Values, members []account.Member) (f *audit.Filter, ok bool) {
	lang := v.lang
	f = &audit.Filter{Actor: account.NormalEmail(q.Get("actor")), Action: q.Get("action"), Since: p.from, Until: p.to, Before: q.Get("cursor"), Limit: eventsOnPage}
	p.Actor, p.Action = actorSelect(lang, v.caller.Account.Email, members, f.Actor), actionSelect(lang, f.Action)
	p.Filtered = f.Actor != "" || f.Action != "" || p.given()
	return f, p.valid()
}

// actorSelect offers the people of the account and the other actors in it. The address of a person who has left stays
// available if it is selected.
func actorSelect(lang i18n.Lang, owner string, members []account.Member, chosen string) web.Select {
	s := web.Select{ID: "actor", Name: "actor", Label: lang.T("dashboard.activity.actor"), Options: []web.Option{{Label: lang.T("dashboard.activity.anybody")}}}
	add := func(value, label string) {
		s.Options = append(s.Options, web.Option{Value: value, Label: label, Selected: value == chosen})
	}
	add(owner, owner)
	for _, m := range members {
		add(m.Email, m.Email)
	}
	for _, t := range []actor.Type{actor.Key, actor.Operator, actor.System} {
		add(string(t), actorName(lang, actor.Actor{Type: t}))
	}
	if !slices.ContainsFunc(s.Options, func(o web.Option) bool { return o.Selected }) && chosen != "" {
		add(chosen, chosen)
	}
	return s
}

// actionSelect offers kinds of actions, by their prefixes.
func actionSelect(lang i18n.Lang, chosen string) web.Select {
	s := web.Select{ID: "action", Name: "action", Label: lang.T("dashboard.activity.action"), Options: []web.Option{{Label: lang.T("dashboard.activity.any")}}}
	for _, kind := range actionKinds() {
		s.Options = append(s.Options, web.Option{Value: kind + ".", Label: lang.T("dashboard.activity.kind_" + kind), Selected: kind+"." == chosen})
	}
	if chosen != "" && !slices.ContainsFunc(s.Options, func(o web.Option) bool { return o.Selected }) {
		s.Options = append(s.Options, web.Option{Value: chosen, Label: chosen, Selected: true})
	}
	return s
}

// actionKinds returns the prefixes of actions by which events can be filtered.
func actionKinds() []string {
	return []string{"session", "key", "project", "member", "account", "sender", "webhook", "request", "optout", "billing", "logs", "person"}
}

// activityOf converts an event to a sentence. recipients contains the recipients of those messages of the events that still exist.
func activityOf(v *visit, e *audit.Event, projects []account.Project, recipients map[string]string) activityEvent {
	lang := v.lang
	out := activityEvent{Actor: actorName(lang, e.Actor), Network: e.Network, At: e.At}
	key, about, known := audit.Sentence(e.Action)
	switch {
	case !known:
		out.What = lang.T("dashboard.did_other", e.Action)
	case about == "":
		out.What = lang.T(key)
	case e.Action == audit.MessageViewed && recipients[e.Target] == "":
		out.What = lang.T("dashboard.did_message_viewed_gone")
	case e.Action == audit.MessageViewed:
		out.What, out.URL = lang.T(key, optOutContact(lang, recipients[e.Target])), messageURL(e.Target)
	default:
		out.What = lang.T(key, aboutText(lang, about, cmp.Or(e.Details[about], e.Target)))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		told := name == about || name == "email" && e.Details[name] == e.Actor.Email || name == "revokedKeys" && e.Details[name] == "0"
		if text := detailText(v, name, e.Details[name], projects); !told && text != "" {
			out.Details = append(out.Details, text)
		}
	}
	return out
}

// aboutText returns the text of an item in a sentence. It groups the digits of a number.
func aboutText(lang i18n.Lang, about, value string) string {
	if about == "address" || about == "wanted" || about == audit.OfTarget {
		return optOutContact(lang, value)
	}
	return value
}

// detailText returns the text of an event's detail: the text of its value, or its name with the value. It returns ""
// for a detail that only programs read, such as an ID.
func detailText(v *visit, name, value string, projects []account.Project) string {
	key := "dashboard.detail_" + strings.ToLower(name)
	if v.lang.Has(key + "_" + value) {
		return v.lang.T(key + "_" + value)
	}
	switch name {
	case "role":
		value = roleName(v.lang, account.Role(value))
	case "plan":
		value = capitalized(value)
	case "channel":
		value = channelName(v.lang, gateway.Channel(value))
	case "address", "to":
		value = shownAddress(value)
	case "project":
		i := slices.IndexFunc(projects, func(p account.Project) bool { return p.ID == value })
		if i < 0 {
			return ""
		}
		value = projects[i].Name
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		value = v.moment(at)
	}
	if value == "" || !v.lang.Has(key) {
		return ""
	}
	return v.lang.T(key, value)
}

func actorName(lang i18n.Lang, a actor.Actor) string {
	switch {
	case a.Email != "":
		return a.Email
	case a.Type == actor.Key:
		return lang.T("dashboard.activity.key")
	case a.Type == actor.Operator:
		return lang.T("dashboard.activity.operator")
	}
	return lang.T("dashboard.activity.system")
}
