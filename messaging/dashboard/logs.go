package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const (
	logsPath     = "/dashboard/logs"
	messagesPath = "/dashboard/messages/"
)

func (d *Dashboard) logsRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", logsPath, account.MayReadMessages, d.logs),
		d.o.HTTP.WithoutHead(d.member("GET", logsPath+"/events", account.MayFollowMessages, func(v *visit) error { return d.o.Changes(v.w, v.r, v.caller) })),
		d.member("GET", messagesPath+"{messageId}", account.MayReadMessages, d.message),
		inFrame(d.member("GET", messagesPath+"{messageId}/html", account.MayReadMessages, d.messageHTML)),
		d.member("POST", messagesPath+"{messageId}/cancel", account.MayCancelMessages, d.cancel),
	}
}

const pageLogs = "dashboard_logs" // logs

const logsOnPage = 50

// logs is the page of the account's messages, newest first. The URL contains all filters.
type logs struct {
	list
	period
	Status  *web.Select // not for simulated messages, which have only one status
	Channel web.Select
	Mode    string      // of the form; empty: LIVE
	Project *web.Select // nil: no projects
	Code    *web.Field  // not for simulated messages, which never fail
	To      web.Field
	Events  string // path of the stream of changes; empty: the page polls
	Live    bool   // the list is refreshed while the page is open
	Rows    []logRow
}

type logRow struct {
	URL, To, Text string
	Channel       string
	Status        web.Badge
	Reason        *web.Reason // nil: not failed
	At            time.Time
}

// logs handles GET /dashboard/logs.
func (d *Dashboard) logs(v *visit) error {
	q := v.r.URL.Query()
	if q.Get("status") == string(message.Sandbox) { // only simulated messages have this status
		v.mode = web.TestMode
	}
	projects, err := d.o.Directory.ProjectsFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	page := &logs{list: list{AllURL: v.url(logsPath)}, period: v.period(q)}
	f, ok := page.filter(v, q, projects)
	if !ok {
		return d.serve(v, http.StatusBadRequest, pageLogs, logsPath, page)
	}
	list, next, err := d.o.Messages.List(v.r.Context(), v.caller, f)
	if err != nil {
		return err
	}
	for _, m := range list {
		page.Rows = append(page.Rows, rowOf(v, m))
	}
	if page.Live = f.After.ID == ""; account.MayFollowMessages.Allows(v.caller.Role) {
		page.Events = logsPath + "/events"
	}
	none := noMessages(v)
	if v.caller.OwnProjectsOnly() && len(projects) == 0 {
		none, page.Project = *firstProject(v), nil
	}
	page.finish(v, len(page.Rows), f.After.Encode(), next.Encode(), v.placeInLogs(q), "dashboard.logs.list_", none)
	return d.serve(v, http.StatusOK, pageLogs, logsPath, page)
}

// ownProjects returns the projects of a developer, who sees only their messages.
func (d *Dashboard) ownProjects(ctx context.Context, c *account.Caller) ([]account.Project, error) {
	if !c.OwnProjectsOnly() {
		return nil, nil
	}
	return d.o.Directory.ProjectsFor(ctx, c)
}

func rowOf(v *visit, m *message.Message) logRow {
	row := logRow{URL: messageURL(m.ID), To: shownAddress(m.To), Channel: channelName(v.lang, m.Channel), Status: statusBadge(v.lang, m.Status), At: m.CreatedAt}
	if !m.Sensitive && message.ShowsText(v.caller, m) {
		row.Text = message.Preview(cmp.Or(m.Content.Subject, m.Content.Text))
	}
	if m.Failure != nil && (m.Status == message.Failed || m.Status == message.Expired) {
		row.Reason = v.reasonLinks(m.Failure.Code, string(m.Failure.Class))
	}
	return row
}

// noMessages returns instructions for an account without messages.
func noMessages(v *visit) web.Empty {
	e := web.Empty{Icon: "list", Title: v.lang.T("dashboard.overview.empty"), Text: v.lang.T("dashboard.logs.none_text")}
	if v.simulated() {
		e.Title, e.Text = v.lang.T("dashboard.overview.empty_test"), v.lang.T("dashboard.logs.none_test")
	}
	if account.MaySendByHand.Allows(v.caller.Role) {
		e.ActionURL, e.Action = v.url(sendPath), v.lang.T("dashboard.send.title")
	}
	return e
}

// placeInLogs returns a function for the addresses of the log with the filters of a query.
func (v *visit) placeInLogs(q url.Values) func(cursor string) string {
	names := []string{"channel", "to", "since", "until", "project"}
	if !v.simulated() {
		names = append(names, "status", "code")
	}
	return v.placeIn(logsPath, q, names...)
}

// filter parses the query and fills in the form. ok is false if the query is invalid.
func (p *logs) filter(v *visit, q url.Values, projects []account.Project) (f *message.Filter, ok bool) {
	lang := v.lang
	status, channel := message.Status(q.Get("status")), gateway.Channel(q.Get("channel"))
	to, unread := v.contact(q.Get("to"))
	if unread != nil {
		to = q.Get("to")
	}
	f = &message.Filter{Limit: logsOnPage, Channel: channel, To: to, Since: p.from, Until: p.to, Real: !v.simulated()}
	if p.Mode = v.modeName(v.mode); v.simulated() {
		status = message.Sandbox
	} else {
		p.Status, p.Code = statusSelect(lang, status), &web.Field{ID: "code", Name: "code", Label: lang.T("dashboard.logs.code"), Value: q.Get("code"), Type: "search"}
		f.Code = p.Code.Value
	}
	f.Status = status
	if n, ok := phone.Parse(to); ok {
		f.To = string(n)
	}
	p.To = web.Field{ID: "to", Name: "to", Label: lang.T("dashboard.logs.to"), Value: to, Type: "search"}
	if e, ok := refusal(unread); ok {
		p.To.Wrong = explain(lang, e)
	}
	p.Channel = channelSelect(lang, channel, lang.T("dashboard.logs.any"), "")
	if v.caller.OwnProjectsOnly() {
		f.ProjectID, p.Project = chosenProject(lang, projects, q.Get("project"))
	} else {
		f.ProjectID, p.Project = anyProject(lang, projects, q.Get("project"))
		p.Filtered = f.ProjectID != ""
	}
	p.Filtered = p.Filtered || p.Status != nil && status != "" || f.Code != "" || channel != "" || to != "" || p.given()
	if s := q.Get("cursor"); s != "" {
		if f.After, ok = message.DecodeCursor(s); !ok {
			p.Wrong = explain(lang, apierror.InvalidCursor.Err())
		}
	}
	if status != "" && status.Rank() < 0 || channel != "" && !channel.Valid() || f.Code != "" && !gateway.IsRef(f.Code, message.MaxCode) {
		p.Wrong = lang.T("dashboard.logs.wrong")
	}
	return f, p.Wrong == "" && p.To.Wrong == "" && p.valid()
}

func statusSelect(lang i18n.Lang, chosen message.Status) *web.Select {
	s := &web.Select{ID: "status", Name: "status", Label: lang.T("dashboard.logs.status"), Options: []web.Option{{Label: lang.T("dashboard.logs.any")}}}
	for _, status := range message.Statuses() {
		if status == message.Sandbox {
			continue // it belongs to another mode
		}
		s.Options = append(s.Options, web.Option{Value: string(status), Label: statusName(lang, status), Selected: status == chosen})
	}
	return s
}

// channelSelect offers the channels after an option for no selection.
func channelSelect(lang i18n.Lang, chosen gateway.Channel, first string, value gateway.Channel) web.Select {
	s := web.Select{ID: "channel", Name: "channel", Label: lang.T("dashboard.logs.channel"), Options: []web.Option{{Value: string(value), Label: first}}}
	for _, c := range []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email} {
		s.Options = append(s.Options, web.Option{Value: string(c), Label: channelName(lang, c), Selected: c == chosen})
	}
	return s
}

// anyProject returns the project with an ID, or none. The ID can be that of a deleted project, because its messages
// still exist. The select is nil if there is no choice.
func anyProject(lang i18n.Lang, projects []account.Project, id string) (chosen string, s *web.Select) {
	if len(projects) == 0 && id == "" {
		return "", nil
	}
	_, s = chosenProject(lang, projects, id)
	known := id == ""
	for i := range s.Options {
		s.Options[i].Selected = s.Options[i].Value == id
		known = known || s.Options[i].Selected
	}
	if !known {
		s.Options = append(s.Options, web.Option{Value: id, Label: id, Selected: true})
	}
	s.Options = append([]web.Option{{Label: lang.T("dashboard.logs.any")}}, s.Options...)
	return id, s
}

// chosenProject returns the ID of a developer's project, or that of the first project if the developer does not have it.
func chosenProject(lang i18n.Lang, projects []account.Project, id string) (chosen string, s *web.Select) {
	s = &web.Select{ID: "project", Name: "project", Label: lang.T("dashboard.logs.project")}
	for _, p := range projects {
		if p.ID == id {
			chosen = id
		}
	}
	if chosen == "" && len(projects) > 0 {
		chosen = projects[0].ID
	}
	for _, p := range projects {
		s.Options = append(s.Options, web.Option{Value: p.ID, Label: p.Name, Selected: p.ID == chosen})
	}
	return chosen, s
}
