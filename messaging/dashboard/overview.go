package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/isotime"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/stats"
	"example.com/griot/web"
)

func (d *Dashboard) overviewRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", homePath, account.MayReadOverview, d.overview),
		{Method: "GET", Path: homePath + "/{$}", Access: httpx.Anyone, Handler: http.RedirectHandler(homePath, http.StatusSeeOther)},
	}
}

const pageOverview = "dashboard_overview" // overview

// overview is the page of an account's current day.
type overview struct {
	Account  string
	SendURL  string // empty: not available to the caller's role
	LogsURL  string
	Alerts   []web.Alert
	Start    []startStep // the owner's first steps, until a real message has been sent
	Projects *web.Tabs   // for a developer with several projects
	Stats    []web.Stat
	About    string // the messages that the numbers count
	Chart    *web.Chart
	Errors   []errorCount
	Empty    *web.Empty
}

type errorCount struct {
	*web.Reason
	Count string
}

// overview handles GET /dashboard.
func (d *Dashboard) overview(v *visit) error {
	page := &overview{Account: v.caller.Account.Name, LogsURL: v.url(logsPath)}
	if account.MaySendByHand.Allows(v.caller.Role) {
		page.SendURL = v.url(sendPath)
	}
	used, err := d.o.Directory.UsedToday(v.r.Context(), v.caller.Account.ID)
	if err != nil {
		return err
	}
	if page.Alerts, err = d.alerts(v); err != nil {
		return err
	}
	if !v.simulated() { // simulated messages do not count toward it
		page.Stats = append(page.Stats, usage(v.lang, used, v.caller.Account.Plan.DailyLimit))
	}
	if page.Start, err = d.start(v); err != nil {
		return err
	}
	if err := d.addStats(v, page); err != nil {
		return err
	}
	if page.Start != nil {
		page.Empty = nil
	}
	return d.serve(v, http.StatusOK, pageOverview, homePath, page)
}

func usage(lang i18n.Lang, used, limit int64) web.Stat {
	s := web.Stat{Label: lang.T("dashboard.overview.today"), Value: number(lang, used), Note: lang.T("dashboard.overview.no_limit")}
	if limit > 0 {
		s.Note = lang.T("dashboard.overview.of_limit", number(lang, limit), number(lang, max(0, limit-used)))
	}
	return s
}

const days = 30 // days in the chart

// addStats adds the statistics of the last days, or instructions if there are none yet. A developer sees those of one project.
func (d *Dashboard) addStats(v *visit, page *overview) error {
	now := d.o.Now()
	in := &stats.SeriesQuery{From: v.startOfDay(now, 1-days), To: now.Add(time.Millisecond), Step: stats.StepDay, Zone: v.zone(), Simulated: v.simulated()}
	if v.caller.OwnProjectsOnly() {
		projects, err := d.ownProjects(v.r.Context(), v.caller)
		if err != nil {
			return err
		}
		if len(projects) == 0 {
			page.Empty = firstProject(v)
			return nil
		}
		in.ProjectID, _ = chosenProject(v.lang, projects, v.r.URL.Query().Get("project"))
		page.Projects = projectTabs(v, projects, in.ProjectID)
	}
	series, err := d.o.Stats.Series(v.r.Context(), v.caller, in)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(series.Buckets, func(b stats.Bucket) bool { return b.Total > 0 }) {
		f := &message.Filter{ProjectID: in.ProjectID, Limit: 1, Real: !v.simulated()}
		if v.simulated() {
			f.Status = message.Sandbox
		}
		list, further, err := d.o.Messages.List(v.r.Context(), v.caller, f)
		if err != nil {
			return err
		}
		if len(list) == 0 && further.ID == "" {
			page.setEmpty(v)
			return nil
		}
	}
	if v.simulated() {
		page.addSimulated(v.lang, series)
		return nil
	}
	page.add(v, series)
	year, month, _ := now.In(v.zone()).Date()
	if first := isotime.StartOfDay(year, month, 1, v.zone()); first.Before(in.From) { // on the 31st
		in.From = first
		if series, err = d.o.Stats.Series(v.r.Context(), v.caller, in); err != nil {
			return err
		}
	}
	page.addPrices(v.lang, slices.DeleteFunc(series.Prices, func(p stats.Price) bool { return p.Month != now.In(v.zone()).Format("2006-01") }))
	return nil
}

// projectTabs returns tabs for the statistics of a developer's projects, or nil if there are no others.
func projectTabs(v *visit, projects []account.Project, current string) *web.Tabs {
	if len(projects) < 2 {
		return nil
	}
	t := &web.Tabs{Label: v.lang.T("dashboard.logs.project")}
	for _, p := range projects {
		t.Items = append(t.Items, web.Tab{URL: v.url(homePath + "?project=" + url.QueryEscape(p.ID)), Label: p.Name, Current: p.ID == current})
	}
	return t
}

// add adds the statistics of a series.
func (p *overview) add(v *visit, series *stats.Series) {
	lang := v.lang
	p.About = lang.T("dashboard.overview.days", days)
	var all stats.Bucket
	c := &web.Chart{ID: "volume", Title: lang.T("dashboard.overview.chart"), Series: []web.Series{
		{Name: lang.T("dashboard.status_read")}, {Name: lang.T("dashboard.status_delivered")}, {Name: lang.T("dashboard.overview.other")}, {Name: lang.T("dashboard.status_failed")},
	}}
	for i := range series.Buckets {
		b := &series.Buckets[i]
		c.Columns = append(c.Columns, lang.Day(b.At))
		for i, n := range []int{b.Read, b.Delivered - b.Read, b.Total - b.Delivered - b.Failed, b.Failed} {
			c.Series[i].Values = append(c.Series[i].Values, n)
		}
		all.Total, all.Sent, all.Delivered, all.Failed, all.Fallback = all.Total+b.Total, all.Sent+b.Sent, all.Delivered+b.Delivered, all.Failed+b.Failed, all.Fallback+b.Fallback
	}
	p.Chart = c
	p.Stats = append(
		p.Stats,
		web.Stat{Label: lang.T("dashboard.overview.delivered"), Value: lang.Percent(int64(all.Delivered), int64(all.Sent)), Note: lang.T("dashboard.overview.delivered_of")},
		web.Stat{Label: lang.T("dashboard.overview.fallback"), Value: lang.Percent(int64(all.Fallback), int64(all.Total)), Note: lang.T("dashboard.overview.fallback_of")},
		web.Stat{Label: lang.T("dashboard.overview.failed"), Value: lang.Percent(int64(all.Failed), int64(all.Total)), Note: lang.T("dashboard.overview.failed_of")},
		web.Stat{Label: lang.T("dashboard.overview.latency"), Value: duration(lang, series.Delivered.P95), Note: lang.T("dashboard.overview.latency_of")},
	)
	for _, e := range series.Errors {
		p.Errors = append(p.Errors, errorCount{v.reasonLinks(e.Code, ""), number(lang, int64(e.Count))})
	}
}

// addPrices adds the number of messages for which WhatsApp charges, if it has reported prices. prices are those of this month.
func (p *overview) addPrices(lang i18n.Lang, prices []stats.Price) {
	if len(prices) == 0 {
		return
	}
	charged, notes := 0, []string{lang.T("dashboard.overview.charged_of")}
	for _, price := range prices {
		charged += price.Charged
		if price.Charged > 0 {
			notes = append(notes, lang.T("dashboard.price.of_category", priceCategory(lang, price.Category), number(lang, int64(price.Charged))))
		}
	}
	p.Stats = append(p.Stats, web.Stat{Label: lang.T("dashboard.overview.charged"), Value: number(lang, int64(charged)), Note: strings.Join(notes, ", ")})
}

// addSimulated adds the number of simulated messages, which have no other results.
func (p *overview) addSimulated(lang i18n.Lang, series *stats.Series) {
	p.About = lang.T("dashboard.overview.days_test", days)
	c := &web.Chart{ID: "volume", Title: lang.T("dashboard.overview.chart"), Series: []web.Series{{Name: lang.T("dashboard.status_sandbox")}}}
	total, latest := 0, 0
	for i := range series.Buckets {
		b := &series.Buckets[i]
		c.Columns = append(c.Columns, lang.Day(b.At))
		c.Series[0].Values = append(c.Series[0].Values, b.Total)
		total, latest = total+b.Total, b.Total
	}
	p.Chart = c
	p.Stats = append(p.Stats,
		web.Stat{Label: lang.T("dashboard.overview.today"), Value: number(lang, int64(latest)), Note: lang.T("dashboard.overview.free")},
		web.Stat{Label: lang.T("dashboard.overview.simulated"), Value: number(lang, int64(total)), Note: lang.T("dashboard.overview.simulated_of", days)})
}

// setEmpty sets a message that there are no messages yet.
func (p *overview) setEmpty(v *visit) {
	p.Empty = &web.Empty{Icon: "message", Title: v.lang.T("dashboard.overview.empty"), Text: v.lang.T("dashboard.overview.empty_text"), ActionURL: p.SendURL, Action: v.lang.T("dashboard.send.title")}
	if v.simulated() {
		p.Empty.Title, p.Empty.Text = v.lang.T("dashboard.overview.empty_test"), v.lang.T("dashboard.overview.empty_test_text")
	}
}

// messageURL returns the address of a message's page.
func messageURL(id string) string { return messagesPath + url.PathEscape(id) }
