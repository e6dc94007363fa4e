package dashboard

import (
	"net/url"
	"slices"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// progress contains the facts about an account that determine the states of its first steps.
type progress struct {
	key, live, listened, webhook, sender bool   // a valid key, a real message, a stream of events to a program, an endpoint, a sender for real messages
	simulated                            string // the ID of the latest simulated message; empty: none
	asked                                []account.Request
	onlyTest                             bool // the service simulates all messages
}

// A firstStep is a step, identified by the last part of its texts' keys. It is done, was requested from the operator, or is optional.
type firstStep struct {
	name                  string
	done, asked, optional bool
}

// firstSteps returns the first steps of an account in their order, or none after its first real message has been accepted.
func firstSteps(p *progress) []firstStep {
	sent := p.simulated != ""
	steps := []firstStep{{name: "key", done: p.key}, {name: "test", done: sent}, {name: "see", done: sent}, {name: "listen", done: p.listened, optional: true}}
	switch {
	case p.live || p.onlyTest && sent:
		return nil
	case p.onlyTest:
		return steps
	}
	asks := func(webhook bool) bool {
		return slices.ContainsFunc(p.asked, func(r account.Request) bool { return (r.Kind == account.WebhookRequest) == webhook })
	}
	return append(steps, firstStep{"webhook", p.webhook, asks(true), true}, firstStep{"sender", p.sender, asks(false), false}, firstStep{name: "live"})
}

// badge returns the state of a step.
func (s *firstStep) badge(v *visit) web.Badge {
	switch {
	case s.done:
		return web.Badge{Text: v.lang.T("dashboard.start.done"), Tone: web.Good}
	case s.asked:
		return web.Badge{Text: v.lang.T("dashboard.start.asked"), Tone: web.Info}
	case s.optional:
		return web.Badge{Text: v.lang.T("dashboard.start.optional")}
	}
	return web.Badge{Text: v.lang.T("dashboard.start.open"), Tone: web.Warn}
}

// progress reads the facts about the caller's account.
func (d *Dashboard) progress(v *visit) (*progress, error) {
	a, ctx := v.caller.Account, v.r.Context()
	p := &progress{listened: !a.ListenedAt.IsZero(), webhook: a.WebhookURL != "", sender: a.HasLiveSender(), onlyTest: d.o.Simulates}
	live, _, err := d.o.Messages.List(ctx, v.caller, &message.Filter{Real: true, Limit: 1})
	if p.live = len(live) > 0; err != nil || p.live {
		return p, err
	}
	simulated, _, err := d.o.Messages.List(ctx, v.caller, &message.Filter{Status: message.Sandbox, Limit: 1})
	for _, m := range simulated {
		p.simulated = m.ID
	}
	if err != nil {
		return nil, err
	}
	keys, err := d.o.Directory.Keys(ctx, a.ID, "")
	if err != nil {
		return nil, err
	}
	p.key = slices.ContainsFunc(keys, func(k account.Key) bool { return k.Works(d.o.Now()) })
	p.asked, err = d.o.Directory.Requests(ctx, a.ID)
	return p, err
}

// A startStep is a step on the overview, with its form, command, or link.
type startStep struct {
	Title, Text string
	State       web.Badge
	Open        bool // its details are expanded
	Send        *sendForm
	Code        *web.Code
	Ask         *requestForm
	URL, Action string
}

// start returns the owner's first steps, or none for anyone else.
func (d *Dashboard) start(v *visit) (out []startStep, err error) {
	if !v.caller.Owner() {
		return nil, nil
	}
	p, err := d.progress(v)
	if err != nil {
		return nil, err
	}
	steps := firstSteps(p)
	next := slices.IndexFunc(steps, func(s firstStep) bool { return !s.done && !s.asked && !s.optional })
	for i, step := range steps {
		key := "dashboard.start.step_" + step.name
		s := startStep{Title: v.lang.T(key), Text: v.lang.T(key + "_text"), State: step.badge(v), Open: i == next}
		switch step.name {
		case "key":
			s.URL, s.Action = v.url(newKeyPath), v.lang.T("dashboard.keys.create")
		case "test":
			err = d.addTestSend(v, &s)
		case "see":
			if s.Open = false; step.done {
				s.URL, s.Action = messageURL(p.simulated), v.lang.T("dashboard.start.see_message")
			}
		case "listen":
			s.Code = d.listenCode(v)
		case "webhook", "sender":
			if step.name == "webhook" && d.o.Endpoints.AccountsSetURL {
				s.Title, s.Text = v.lang.T("dashboard.start.own_webhook"), v.lang.T("dashboard.start.own_webhook_text")
				s.URL, s.Action = v.url(webhooksPath), v.lang.T("dashboard.webhooks.set")
				break
			}
			s.Ask, err = d.requestForm(v, step.name == "webhook", nil)
		case "live":
			s.URL, s.Action = v.inMode(sendPath, web.LiveMode), v.lang.T("dashboard.send.title")
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// addTestSend adds the form that sends a message in TEST, and the equivalent command.
func (d *Dashboard) addTestSend(v *visit, s *startStep) (err error) {
	in, body := *v, &sendBody{To: "+22376000001", Channel: message.Auto, Message: v.lang.T("dashboard.overview.hello"), Sandbox: true}
	in.mode = web.TestMode
	if s.Send, _, err = d.sendForm(&in, url.Values{"to": {body.To}, "message": {body.Message}}); err != nil {
		return err
	}
	s.Send.To.Focus = false
	s.Code = &web.Code{ID: "first", Title: "curl", Text: curl(d.o.URL, "svc_test_…", body)}
	return nil
}
