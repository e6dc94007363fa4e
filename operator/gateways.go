package operator

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/stale"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

const gatewaysPath = Home + "/gateways"

func (p *Pages) gatewaysRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: gatewaysPath, Handler: p.page(p.gateways)},
		{Method: "POST", Path: gatewaysPath, Handler: p.form(p.addGateway)},
		{Method: "GET", Path: gatewaysPath + "/new", Handler: p.page(p.newGateway)},
		{Method: "GET", Path: gatewaysPath + "/of/{name}", Handler: p.page(p.gateway)},
		{Method: "POST", Path: gatewaysPath + "/of/{name}", Handler: p.form(p.setGateway)},
		{Method: "POST", Path: gatewaysPath + "/of/{name}/test", Handler: p.form(p.testGateway)},
		{Method: "POST", Path: gatewaysPath + "/of/{name}/remove", Handler: p.form(p.removeGateway)},
	}
}

func gatewayPath(name string) string { return gatewaysPath + "/of/" + url.PathEscape(name) }

// gateways lists the gateways by name.
func (p *Pages) gateways(v *visit) error {
	found, err := verb[[]messagingadmin.Gateway](v, "gateways.list", messagingadmin.Nothing{})
	if err != nil {
		return err
	}
	page := web.OperatorGateways{NewURL: gatewaysPath + "/new"}
	after, next := v.r.URL.Query().Get("before"), "" // the last name of the page before
	for i := range found {
		if found[i].Name <= after && after != "" {
			continue
		}
		if len(page.Gateways) == listed {
			next = page.Gateways[listed-1].Name
			break
		}
		page.Gateways = append(page.Gateways, v.gatewayLine(&found[i]))
	}
	page.Pages = v.older(gatewaysPath, next)
	return v.show(web.PageOperatorGateways, page)
}

func (v *visit) gatewayLine(g *messagingadmin.Gateway) web.OperatorGatewayLine {
	out := web.OperatorGatewayLine{URL: gatewayPath(g.Name), Name: g.Name, Kind: g.Kind, Stored: g.CreatedAt != nil, Senders: len(g.Senders), Failures: g.Failures, State: web.Badge{Text: v.lang.T("operator.gateway.open"), Tone: web.Good}}
	for _, channel := range g.Channels {
		out.Channels = append(out.Channels, channelName(channel))
	}
	switch {
	case g.Problem != "":
		out.State = web.Badge{Text: v.lang.T("operator.gateway.problem"), Tone: web.Bad}
	case g.State != "open":
		out.State = web.Badge{Text: v.lang.T("operator.gateway.closed"), Tone: web.Warn}
	case g.FailingAt != nil:
		out.State = web.Badge{Text: v.lang.T("operator.gateway.failing"), Tone: web.Bad}
	}
	if e := g.LastError; e != nil {
		out.ErrorAt, out.Error = e.At, e.Code
	}
	return out
}

func (p *Pages) newGateway(v *visit) error {
	return v.showNewGateway(http.StatusOK, url.Values{}, "")
}

func (v *visit) showNewGateway(status int, in url.Values, refusal string) error {
	page := web.OperatorNewGateway{URL: gatewaysPath, Settings: in.Get("settings"), Fields: []web.Field{
		{ID: "name", Name: "name", Label: v.lang.T("operator.gateway.name"), Value: in.Get("name"), Hint: v.lang.T("operator.gateway.name_hint"), Required: true},
		{ID: "kind", Name: "kind", Label: v.lang.T("operator.gateway.kind"), Value: in.Get("kind"), Hint: v.lang.T("operator.gateway.kind_hint"), Required: true},
	}}
	return v.showForm(status, web.PageOperatorNewGateway, page, refusal)
}

func (p *Pages) addGateway(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	settings, err := admin.ParseSettings([]byte(in.Get("settings")))
	if err != nil {
		return v.showNewGateway(http.StatusBadRequest, in, "The settings are not a mapping in YAML, nor an object in JSON.")
	}
	name := strings.TrimSpace(in.Get("name"))
	_, err = verb[messagingadmin.Gateway](v, "gateways.add", messagingadmin.GatewayInput{Name: name, Kind: strings.TrimSpace(in.Get("kind")), Settings: settings})
	if text, refused := admin.Refusal(err); refused {
		return v.showNewGateway(http.StatusBadRequest, in, text)
	}
	if err != nil {
		return err
	}
	return v.leave(gatewayPath(name), once{done: "operator.done.gateway_added"})
}

// gateway shows one gateway.
func (p *Pages) gateway(v *visit) error { return p.showGateway(v, http.StatusOK, "", "") }

func (p *Pages) showGateway(v *visit, status int, settings, refusal string) error {
	found, err := verb[[]messagingadmin.Gateway](v, "gateways.list", messagingadmin.Nothing{})
	if err != nil {
		return err
	}
	for i := range found {
		if found[i].Name == v.r.PathValue("name") {
			return v.showForm(status, web.PageOperatorGateway, v.gatewayPage(&found[i], settings), refusal)
		}
	}
	return kinds.NotFound.Err()
}

func (v *visit) gatewayPage(g *messagingadmin.Gateway, settings string) web.OperatorGateway {
	page := web.OperatorGateway{OperatorGatewayLine: v.gatewayLine(g), GatewaysURL: gatewaysPath, Settings: settings, Version: g.Version, Problem: g.Problem, Stats: []web.Stat{
		{Label: v.lang.T("operator.gateway.senders"), Value: fmt.Sprint(len(g.Senders))},
		{Label: v.lang.T("operator.gateway.failures"), Value: fmt.Sprint(g.Failures), Note: v.lang.T("operator.gateway.since_start")},
		{Label: v.lang.T("operator.gateway.dropped"), Value: fmt.Sprint(g.Dropped), Note: v.lang.T("operator.gateway.since_start")},
	}}
	if g.FailingAt != nil {
		page.FailingAt = *g.FailingAt
	}
	if e := g.LastError; e != nil {
		page.ErrorDetail = strings.TrimSpace(strings.Join([]string{e.Class, e.ProviderCode, e.Cause}, " "))
	}
	for _, s := range g.Senders[:min(len(g.Senders), listed)] {
		page.Lines = append(page.Lines, web.OperatorGatewaySender{URL: senderPath(s.ID), Channel: channelName(s.Channel), Address: s.Address, State: v.connection(s.Connection)})
	}
	page.More = len(g.Senders) - len(page.Lines)
	return page
}

// connection is the state of a sender's connection, until when, and the reason's code where the state does not say it.
func (v *visit) connection(c messagingadmin.Connection) web.Badge {
	tone, known := map[string]web.Tone{"connected": web.Good, "connecting": web.Warn, "pairing": web.Warn, "restricted": web.Warn, "disconnected": web.Bad, "logged_out": web.Bad, "banned": web.Bad, "outdated": web.Bad}[c.State]
	if !known {
		return web.Badge{Text: "–"}
	}
	text := v.lang.T(map[string]string{
		"connected": "operator.state.connected", "connecting": "operator.state.connecting", "pairing": "operator.state.pairing", "restricted": "operator.state.restricted", "disconnected": "operator.state.disconnected",
		"logged_out": "operator.state.logged_out", "banned": "operator.state.banned", "outdated": "operator.state.outdated",
	}[c.State])
	if c.Until != nil {
		text = v.lang.T("operator.state.until", text, c.Until.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if c.Reason != "" && c.Reason != c.State {
		text += " (" + c.Reason + ")"
	}
	return web.Badge{Text: text, Tone: tone}
}

// setGateway replaces a stored gateway's settings, which the form asks to confirm.
func (p *Pages) setGateway(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	name := v.r.PathValue("name")
	settings, err := admin.ParseSettings([]byte(in.Get("settings")))
	if err != nil {
		return p.showGateway(v, http.StatusBadRequest, in.Get("settings"), "The settings are not a mapping in YAML, nor an object in JSON.")
	}
	if in.Get("confirm") != "yes" {
		return v.leave(gatewayPath(name), once{wrong: "operator.confirm.missing"})
	}
	_, err = verb[messagingadmin.Gateway](v, "gateways.set", messagingadmin.GatewayChange{Name: name, Settings: settings, Version: in.Get(stale.Field)})
	if errors.Is(err, stale.Err) {
		v.wrong = "component.stale"
		return p.showGateway(v, http.StatusConflict, in.Get("settings"), "")
	}
	if text, refused := admin.Refusal(err); refused {
		return p.showGateway(v, http.StatusBadRequest, in.Get("settings"), text)
	}
	if err != nil {
		return err
	}
	return v.leave(gatewayPath(name), once{done: "operator.done.saved"})
}

func (p *Pages) testGateway(v *visit) error {
	name := v.r.PathValue("name")
	return act(v, gatewayPath(name), "gateways.test", messagingadmin.ByName{Name: name}, func(t messagingadmin.Tested) once {
		switch t.Result {
		case messagingadmin.TestPassed:
			return once{done: "operator.done.gateway_answers"}
		case messagingadmin.TestNoProbe:
			return once{wrong: "operator.gateway.no_probe"}
		}
		return once{refusal: "The test failed: " + t.Problem}
	})
}

func (p *Pages) removeGateway(v *visit) error {
	name := v.r.PathValue("name")
	_, err := verb[messagingadmin.ByName](v, "gateways.remove", messagingadmin.ByName{Name: name})
	return v.leaveAfter(err, gatewayPath(name), gatewaysPath, once{done: "operator.done.removed"})
}
