package operator

import (
	"fmt"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/web"
)

func (p *Pages) healthRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: Home, Handler: p.page(p.health)},
		{Method: "POST", Path: Home + "/resume", Handler: p.form(func(v *visit) error {
			return v.act(Home, "sending.resume", messagingverbs.Nothing{}, "operator.done.sending")
		})},
		{Method: "POST", Path: Home + "/check", Handler: p.form(func(v *visit) error {
			v.pages.checks.forget()
			return v.leave(Home, flash{})
		})},
	}
}

const (
	lateQueue = 5 * time.Minute // a longer wait is late
	lowDisk   = 1 << 30
	wrongTime = 2 * time.Second // with a larger difference, leases and expiries are unreliable
)

// health shows the health of the deployment.
func (p *Pages) health(v *visit) error {
	h, err := ask[messagingverbs.Health](v, "health.show", messagingverbs.Nothing{})
	if err != nil {
		return err
	}
	page := web.OperatorHealth{Single: h.Database.Engine == "sqlite"}
	if s := h.Sending; s.PausedAt != nil {
		page.Paused = &web.OperatorPause{Text: v.lang.T("operator.health.paused_text", utc(*s.PausedAt)), Ending: s.Ending}
		if s.RestoredFrom != nil {
			page.Paused.Text = v.lang.T("operator.health.restored_text", utc(*s.RestoredFrom))
		}
	}
	db := h.Database
	page.Server = []web.Stat{
		{Label: v.lang.T("operator.health.version"), Value: h.Version, Note: v.uptime(h.Now, h.StartedAt)},
		{Label: v.lang.T("operator.health.database"), Value: map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL"}[db.Engine], Note: db.Version},
		{Label: v.lang.T("operator.health.size"), Value: v.bytes(db.Size + db.LogSize), Note: v.lang.T("operator.health.latency", db.LatencyMs)},
	}
	if db.FreeDisk != nil {
		free := web.Stat{Label: v.lang.T("operator.health.disk"), Value: v.bytes(*db.FreeDisk)}
		if *db.FreeDisk < lowDisk {
			free.Note, free.Trend = v.lang.T("operator.health.disk_low"), web.TrendBad
			page.Alerts = append(page.Alerts, web.Alert{Tone: web.Bad, Title: v.lang.T("operator.health.disk_low"), Text: v.lang.T("operator.health.disk_low_text")})
		}
		page.Server = append(page.Server, free)
	}
	clock := web.Stat{Label: v.lang.T("operator.health.clock"), Value: h.Now.UTC().Format("15:04:05"), Note: h.Now.UTC().Format(time.DateOnly) + " UTC"}
	if ahead := time.Duration(db.AheadMs) * time.Millisecond; ahead.Abs() >= wrongTime {
		clock.Note, clock.Trend = v.lang.T("operator.health.clock_off", ahead.String()), web.TrendBad
		page.Alerts = append(page.Alerts, web.Alert{Tone: web.Warn, Title: v.lang.T("operator.health.clock_wrong"), Text: v.lang.T("operator.health.clock_off", ahead.String())})
	}
	page.Server = append(page.Server, clock)
	page.Queues = verb.Each(h.Queues, func(q *messagingverbs.Queue) web.OperatorQueue { return v.queue(q, h.Now) })
	page.Nodes = verb.Each(h.Nodes, v.node)
	page.Checks = v.findings()
	return v.show(web.PageOperatorHealth, page)
}

func (v *visit) queue(q *messagingverbs.Queue, now time.Time) web.OperatorQueue {
	oldest := web.Stat{Label: v.lang.T("operator.health.oldest"), Value: "–"}
	if q.OldestSince != nil {
		oldest.Value, oldest.Note = q.OldestSince.UTC().Format("15:04:05"), q.OldestSince.UTC().Format(time.DateOnly)+" UTC"
		if now.Sub(*q.OldestSince) >= lateQueue {
			oldest.Note, oldest.Trend = v.lang.T("operator.health.late")+", "+oldest.Note, web.TrendBad
		}
	}
	return web.OperatorQueue{Channel: v.valueText("channel", q.Channel), Stats: []web.Stat{
		{Label: v.lang.T("operator.health.ready"), Value: v.lang.Number(q.Ready)},
		{Label: v.lang.T("operator.health.due"), Value: v.lang.Number(q.Due)},
		{Label: v.lang.T("operator.health.later"), Value: v.lang.Number(q.Later)},
		oldest,
	}}
}

func (v *visit) node(n *messagingverbs.Node) web.OperatorNode {
	out := web.OperatorNode{ID: n.ID, Self: n.Self, Until: n.Until, State: web.Badge{Text: v.lang.T("operator.node.alive"), Tone: web.Good}}
	if !n.Alive {
		out.State = web.Badge{Text: v.lang.T("operator.node.gone"), Tone: web.Bad}
	}
	for _, s := range n.Senders {
		sender := web.OperatorNodeSender{URL: senderPath(s.ID), Name: v.valueText("channel", s.Channel) + " " + phone.Grouped(s.Address)}
		if s.Address == "" {
			sender.Name, sender.URL = s.ID, "" // it was removed
		}
		if s.PausedUntil != nil {
			sender.PausedUntil = *s.PausedUntil
		}
		out.Senders = append(out.Senders, sender)
	}
	return out
}

func utc(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }

func (v *visit) uptime(now time.Time, since *time.Time) string {
	if since == nil {
		return ""
	}
	d := now.Sub(*since)
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return v.lang.T("operator.health.up_days", int(d/day), int(d%day/time.Hour))
	case d >= time.Hour:
		return v.lang.T("operator.health.up_hours", int(d/time.Hour), int(d%time.Hour/time.Minute))
	}
	return v.lang.T("operator.health.up_minutes", int(d/time.Minute))
}

// bytes formats a size in powers of 1024.
func (v *visit) bytes(n int64) string {
	const step = 1024
	value, unit := float64(n), 0
	units := []string{"operator.unit.b", "operator.unit.kb", "operator.unit.mb", "operator.unit.gb", "operator.unit.tb"}
	for value >= step && unit < len(units)-1 {
		value /= step
		unit++
	}
	if unit == 0 || value >= 100 {
		return fmt.Sprintf("%.0f %s", value, v.lang.T(units[unit]))
	}
	return v.lang.Decimal(value) + " " + v.lang.T(units[unit])
}
