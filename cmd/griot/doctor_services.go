package main

import (
	"context"
	"slices"
	"strings"
	"time"

	authwebhooks "example.com/griot/auth/webhooks"
	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/webhook"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/messaging/webhooks"
)

// receivers checks the numbers that receive the words of logins.
func (x *examination) receivers(ctx context.Context) (out []doctor.Finding) {
	if !slices.Contains(x.cfg.Roles, config.RoleAuth) {
		return nil
	}
	if len(x.cfg.Auth.Receivers) == 0 {
		refusal := apierror.AuthNoLoginNumber // of every LIVE login
		return []doctor.Finding{doctor.Bad(doctor.Warning, clause(refusal.Fix), "%s", clause(refusal.Text))}
	}
	all, err := x.tests(ctx)
	for _, r := range x.cfg.Auth.Receivers {
		f := doctor.Bad(doctor.Unknown, "", "its gateway can't be checked")
		if err == nil || r.Gateway == "" {
			f = x.receiver(ctx, r, find(all, r.Gateway))
		}
		if r.Gateway != "" {
			f = f.At("gateways")
			if find(all, r.Gateway) != nil {
				f = f.At("gateways/" + r.Gateway)
			}
		}
		out = append(out, f.About(r.PhoneID))
	}
	return out
}

// clause returns an English sentence in the form of a finding.
func clause(sentence string) string {
	return strings.ToLower(sentence[:1]) + strings.TrimSuffix(sentence[1:], ".")
}

func (x *examination) receiver(ctx context.Context, r config.Receiver, g *testedGateway) doctor.Finding {
	const byVerify = "only calls of /internal/verify can prove its logins"
	switch {
	case r.Gateway == "":
		return doctor.Bad(doctor.Warning, "set its gateway (gateway in auth.receivers), unless another program calls /internal/verify", "it has no gateway, so %s", byVerify)
	case g == nil:
		return doctor.Bad(doctor.Failed, "correct auth.receivers, or add the gateway", "the gateway %s doesn't exist, so %s", r.Gateway, byVerify)
	}
	if why, _ := g.broken(); why != "" {
		return doctor.Bad(doctor.Failed, "see the results of the check gateways", "its gateway %s doesn't work, so no one can sign in with this number", r.Gateway)
	}
	if len(g.Channels) == 0 { // no server reports them
		return doctor.Good("its gateway %s exists", r.Gateway)
	}
	if !slices.Contains(g.Channels, string(gateway.WhatsApp)) {
		return doctor.Bad(doctor.Failed, "set a WhatsApp gateway (gateway in auth.receivers)", "%s", noLogins(r.Gateway))
	}
	var t messagingverbs.Tested
	err := x.call(ctx, "gateways.test", messagingverbs.TestInput{Name: r.Gateway, Channel: string(gateway.WhatsApp), Address: r.Number}, &t)
	switch {
	case err != nil:
		return doctor.Bad(doctor.Unknown, "", "the state of its number is unknown: %s", oneLine(err))
	case t.State != "" && !gateway.ConnState(t.State).Usable():
		return doctor.Bad(doctor.Failed, "run griot admin gateways list; to link a linked number again, run griot admin senders pair", "its number is %s on the gateway %s (%s), so no one can sign in with it", t.State, r.Gateway, t.Reason)
	}
	return doctor.Good("its gateway %s exists and works", r.Gateway)
}

// mail checks the gateway of the platform's own emails.
func (x *examination) mail(ctx context.Context) []doctor.Finding {
	if !slices.Contains(x.cfg.Roles, config.RoleAPI) {
		return nil
	}
	name := x.cfg.Email.Gateway
	if name == "" {
		return []doctor.Finding{doctor.Bad(doctor.Warning, "set email.gateway and email.from", "there is no email gateway, so sign-in codes, invitations, and alerts are not sent by email")}
	}
	all, err := x.tests(ctx)
	g := find(all, name)
	switch {
	case err != nil:
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "its gateway can't be checked")}
	case g == nil:
		return []doctor.Finding{doctor.Bad(doctor.Failed, "correct email.gateway, or add the gateway", "the gateway %s doesn't exist", name).At("gateways")}
	}
	if why, hint := g.broken(); why != "" {
		return []doctor.Finding{doctor.Bad(doctor.Failed, hint, "%s: %s", name, why).At("gateways/" + name)}
	}
	if g.tested.Result == messagingverbs.TestNoProbe {
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "%s can't be tested without sending a message", name).At("gateways/" + name)}
	}
	return []doctor.Finding{doctor.Good("%s responds and accepts the credentials", name)}
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
	for _, service := range []struct {
		page string
		list func(ctx context.Context, after string, limit int) ([]*webhook.State, error)
	}{{"webhooks/", webhooks.NewEndpoints(of).States}, {"tenants/", authwebhooks.NewEndpoints(of).States}} {
		for after, seen := "", 0; seen < endpointMax; {
			page, err := service.list(ctx, after, endpointPage)
			if err != nil {
				return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "the endpoints can't be listed")}
			}
			for _, s := range page {
				if f := endpointFinding(s); f != nil {
					bad = append(bad, f.About(s.OwnerID).At(service.page+s.OwnerID))
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
		bad = append(bad[:endpointList], doctor.Bad(doctor.Warning, "run griot admin webhooks endpoints to list all", "%d more are disabled or failing", more).At("webhooks"))
	}
	if len(bad) == 0 {
		return []doctor.Finding{doctor.Good("none of %d endpoints is disabled or failing", total)}
	}
	return bad
}

// endpointFinding returns the problem with an endpoint; nil if there is none. It is only a warning for the owner,
// because the deployment works.
func endpointFinding(s *webhook.State) *doctor.Finding {
	var f doctor.Finding
	switch {
	case !s.DisabledAt.IsZero() && s.DisabledFor != webhook.ForOperator:
		f = doctor.Bad(doctor.Warning, "notify its owner; when it works, run griot admin webhooks enable or griot admin tenants webhook enable", "its endpoint was disabled on %s (%s)", s.DisabledAt.UTC().Format(time.DateOnly), s.DisabledFor)
	case s.DisabledAt.IsZero() && !s.FailingSince.IsZero():
		f = doctor.Bad(doctor.Warning, "notify its owner; run griot admin webhooks list to see the attempts", "its endpoint has failed since %s (last response: HTTP %d)", s.FailingSince.UTC().Format(time.RFC3339), s.LastStatus)
	default:
		return nil
	}
	return &f
}
