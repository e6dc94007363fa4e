package operator

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"example.com/griot/internal/httpx"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

const sendersPath = Home + "/senders"

func (p *Pages) sendersRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: sendersPath, Handler: p.page(p.senders)},
		{Method: "GET", Path: sendersPath + "/{id}", Handler: p.page(p.sender)},
		{Method: "POST", Path: sendersPath + "/{id}/warm-up", Handler: p.form(p.warmUp)},
		{Method: "POST", Path: sendersPath + "/{id}/pause", Handler: p.form(p.pauseSender("senders.pause", "operator.done.paused"))},
		{Method: "POST", Path: sendersPath + "/{id}/resume", Handler: p.form(p.pauseSender("senders.resume", "operator.done.resumed"))},
		{Method: "POST", Path: sendersPath + "/{id}/remove", Handler: p.form(p.removeSender)},
	}
}

func senderPath(id string) string { return sendersPath + "/" + url.PathEscape(id) }

// senders lists the senders of all accounts, or finds some.
func (p *Pages) senders(v *visit) error {
	q := v.r.URL.Query()
	in := messagingadmin.SenderSearch{Text: strings.TrimSpace(q.Get("q")), Before: q.Get("before"), Limit: listed}
	found, err := verb[messagingadmin.SenderPage](v, "senders.find", in)
	if err != nil {
		return err
	}
	page := web.OperatorSenders{URL: sendersPath, Query: in.Text, Pages: v.older(sendersPath, found.Next)}
	for i := range found.Senders {
		page.Senders = append(page.Senders, v.senderLine(&found.Senders[i]))
	}
	return v.show(web.PageOperatorSenders, page)
}

func (v *visit) senderLine(s *messagingadmin.FoundSender) web.OperatorSenderLine {
	out := web.OperatorSenderLine{URL: senderPath(s.ID), ID: s.ID, Channel: channelName(s.Channel), Address: s.Address, Gateway: s.Gateway, GatewayURL: gatewayPath(s.Gateway), Account: s.AccountName, State: v.connection(s.Connection)}
	if s.AccountID != "" {
		out.AccountURL = accountPath(s.AccountID)
	}
	if s.PausedAt != nil {
		out.PausedAt = *s.PausedAt
		out.State = web.Badge{Text: v.lang.T("operator.state.paused"), Tone: web.Warn}
	}
	if s.WarmLimit != nil {
		out.WarmUp = v.lang.T("operator.sender.warm_today", *s.WarmLimit)
	}
	return out
}

// sender shows one sender.
func (p *Pages) sender(v *visit) error {
	s, err := verb[messagingadmin.FoundSender](v, "senders.show", messagingadmin.ByID{ID: v.r.PathValue("id")})
	if err != nil {
		return err
	}
	page := web.OperatorSender{OperatorSenderLine: v.senderLine(&s), SendersURL: sendersPath, Warming: s.WarmLimit != nil, Fields: []web.Field{
		{ID: "first", Name: "first", Label: v.lang.T("operator.sender.first"), InputMode: "numeric", Hint: v.lang.T("operator.sender.first_hint"), Required: true, Value: "50"},
		{ID: "days", Name: "days", Label: v.lang.T("operator.sender.days"), InputMode: "numeric", Required: true, Value: "7"},
	}}
	page.Waiting = web.Select{ID: "waiting", Name: "waiting", Label: v.lang.T("operator.sender.waiting"), Options: []web.Option{
		{Value: "", Label: v.lang.T("operator.sender.waiting_refuse"), Selected: true},
		{Value: "reroute", Label: v.lang.T("operator.sender.waiting_reroute")},
		{Value: "cancel", Label: v.lang.T("operator.sender.waiting_cancel")},
	}}
	if w := s.WarmUp; w != nil && s.WarmLimit != nil && w.Since != nil {
		page.Fields[0].Value, page.Fields[1].Value = fmt.Sprint(w.First), fmt.Sprint(w.Days)
		page.WarmText = v.lang.T("operator.sender.warming", *s.WarmLimit, w.Since.UTC().Format(time.DateOnly), w.Days)
	}
	return v.show(web.PageOperatorSender, page)
}

// warmUp lets a sender begin slowly from today, or ends that.
func (p *Pages) warmUp(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	at := senderPath(v.r.PathValue("id"))
	change := messagingadmin.SenderWarmUp{ID: v.r.PathValue("id")}
	if in.Get("off") != "yes" {
		first, ok1 := number(in.Get("first"))
		days, ok2 := number(in.Get("days"))
		if !ok1 || !ok2 || first == 0 || days == 0 {
			return v.leave(at, once{wrong: "operator.sender.wrong"})
		}
		change.First, change.Days = first, days
	}
	return act(v, at, "senders.warm", change, done("operator.done.saved"))
}

func (p *Pages) pauseSender(name, key string) visitHandler {
	return func(v *visit) error {
		id := v.r.PathValue("id")
		return act(v, senderPath(id), name, messagingadmin.ByID{ID: id}, done(key))
	}
}

// removalCalls is how many steps of a removal one request takes.
const removalCalls = 20

// removeSender removes a sender, and changes the messages that wait for it as the form says.
func (p *Pages) removeSender(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := v.r.PathValue("id")
	removal := messagingadmin.SenderRemoval{ID: id, Cancel: in.Get("waiting") == "cancel", Reroute: in.Get("waiting") == "reroute"}
	for range removalCalls {
		out, err := verb[messagingadmin.SenderRemoved](v, "senders.remove", removal)
		if err != nil || out.Continue == nil {
			return v.leaveAfter(err, senderPath(id), sendersPath, once{done: "operator.done.removed"})
		}
		removal.Continue = out.Continue
	}
	return v.leave(senderPath(id), once{wrong: "operator.sender.remove_more"})
}
