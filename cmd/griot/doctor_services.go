package main

import (
	"context"
	"slices"
	"time"

	authevents "example.com/griot/auth/events"
	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/webhook"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/messaging/events"
)

// receivers checks the numbers that receive the words of logins.
func (x *examination) receivers(ctx context.Context) (out []doctor.Finding) {
	if !slices.Contains(x.cfg.Roles, config.RoleAuth) {
		return nil
	}
	if len(x.cfg.Auth.Receivers) == 0 {
		return []doctor.Finding{doctor.Bad(doctor.Warning, "name a number and its gateway in auth.receivers", "there are none: nobody can sign in by a message")}
	}
	all, err := x.tests(ctx)
	for _, r := range x.cfg.Auth.Receivers {
		f := doctor.Bad(doctor.Unknown, "", "its gateway can't be looked at")
		if err == nil || r.Gateway == "" {
			f = x.receiver(ctx, r, find(all, r.Gateway))
		}
		out = append(out, f.About(r.PhoneID))
	}
	return out
}

func (x *examination) receiver(ctx context.Context, r config.Receiver, g *testedGateway) doctor.Finding {
	const byVerify = "only /internal/verify proves its logins"
	switch {
	case r.Gateway == "":
		return doctor.Bad(doctor.Warning, "name its gateway (auth.receivers, gateway), unless another program calls /internal/verify", "it names no gateway: %s", byVerify)
	case g == nil:
		return doctor.Bad(doctor.Failed, "correct auth.receivers, or add the gateway", "there is no gateway %s: %s", r.Gateway, byVerify)
	}
	if why, _ := g.broken(); why != "" {
		return doctor.Bad(doctor.Failed, "see the check of gateways", "its gateway %s does not work: nobody can sign in by it", r.Gateway)
	}
	if len(g.Channels) == 0 { // no server reports them
		return doctor.Good("its gateway %s is there", r.Gateway)
	}
	if !slices.Contains(g.Channels, string(gateway.WhatsApp)) {
		return doctor.Bad(doctor.Failed, "name a gateway of WhatsApp (auth.receivers, gateway)", "%s", noLogins(r.Gateway))
	}
	var t messagingadmin.Tested
	err := x.call(ctx, "gateways.test", messagingadmin.TestInput{Name: r.Gateway, Channel: string(gateway.WhatsApp), Address: r.Number}, &t)
	switch {
	case err != nil:
		return doctor.Bad(doctor.Unknown, "", "the state of its number is not known: %s", oneLine(err))
	case t.State != "" && !gateway.ConnState(t.State).Usable():
		return doctor.Bad(doctor.Failed, "griot admin gateways list; a linked number is linked anew by griot admin senders pair", "its number is %s on the gateway %s (%s): nobody can sign in by it", t.State, r.Gateway, t.Reason)
	}
	return doctor.Good("its gateway %s is there and works", r.Gateway)
}

// mail checks the gateway of the platform's own emails.
func (x *examination) mail(ctx context.Context) []doctor.Finding {
	if !slices.Contains(x.cfg.Roles, config.RoleAPI) {
		return nil
	}
	name := x.cfg.Email.Gateway
	if name == "" {
		return []doctor.Finding{doctor.Bad(doctor.Warning, "set email.gateway and email.from", "there is no email gateway: codes of sign-in, invitations, and alerts are not mailed")}
	}
	all, err := x.tests(ctx)
	g := find(all, name)
	switch {
	case err != nil:
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "its gateway can't be looked at")}
	case g == nil:
		return []doctor.Finding{doctor.Bad(doctor.Failed, "correct email.gateway, or add the gateway", "there is no gateway %s", name)}
	}
	if why, hint := g.broken(); why != "" {
		return []doctor.Finding{doctor.Bad(doctor.Failed, hint, "%s: %s", name, why)}
	}
	if g.tested.Result == messagingadmin.TestNoProbe {
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "%s can't be asked without sending something", name)}
	}
	return []doctor.Finding{doctor.Good("%s answers, and accepts the credentials", name)}
}

// The maximum number of endpoints of a service that are checked, and that are named.
const (
	endpointPage = 500
	endpointMax  = 20_000
	endpointList = 10
)

// webhooks checks the endpoints of both services.
func (x *examination) webhooks(ctx context.Context) []doctor.Finding {
	switch {
	case x.db == nil:
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "the database can't be read")}
	case x.key == nil:
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "%s", x.noKey())}
	}
	of := webhook.Endpoints{DB: x.db, Key: x.key, Dial: x.cfg.WebhookDial(), Now: clock.System, Signal: &webhook.Signal{}}
	total, bad := 0, []doctor.Finding(nil)
	for _, list := range []func(ctx context.Context, after string, limit int) ([]*webhook.State, error){events.NewEndpoints(of).States, authevents.NewEndpoints(of).States} {
		for after, seen := "", 0; seen < endpointMax; {
			page, err := list(ctx, after, endpointPage)
			if err != nil {
				return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "they can't be listed")}
			}
			for _, s := range page {
				if f := endpointFinding(s); f != nil {
					bad = append(bad, f.About(s.OwnerID))
				}
			}
			total, seen = total+len(page), seen+len(page)
			if len(page) < endpointPage {
				break
			}
			after = page[len(page)-1].OwnerID
		}
	}
	if more := len(bad) - endpointList; more > 0 {
		bad = append(bad[:endpointList], doctor.Bad(doctor.Warning, "griot admin webhooks endpoints lists all", "%d more are disabled or failing", more))
	}
	if len(bad) == 0 {
		return []doctor.Finding{doctor.Good("none of %d is disabled or failing", total)}
	}
	return bad
}

// endpointFinding returns the problem with an endpoint; nil if there is none. It is only a warning for the owner,
// because the deployment works.
func endpointFinding(s *webhook.State) *doctor.Finding {
	var f doctor.Finding
	switch {
	case !s.DisabledAt.IsZero() && s.DisabledFor != webhook.ForOperator:
		f = doctor.Bad(doctor.Warning, "tell its owner; griot admin webhooks enable, or tenants webhook enable, once it works", "its endpoint was disabled on %s (%s)", s.DisabledAt.UTC().Format(time.DateOnly), s.DisabledFor)
	case s.DisabledAt.IsZero() && !s.FailingSince.IsZero():
		f = doctor.Bad(doctor.Warning, "tell its owner; griot admin webhooks list shows the attempts", "its endpoint has failed since %s (last answer: HTTP %d)", s.FailingSince.UTC().Format(time.RFC3339), s.LastStatus)
	default:
		return nil
	}
	return &f
}
