package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/doctor"
	messagingverbs "example.com/griot/messaging/verbs"
)

// testedGateway is a gateway with the result of its round trip.
type testedGateway struct {
	messagingverbs.Gateway

	tested messagingverbs.Tested
	err    error
}

// probeTimeout is the time limit of the round trips to the gateways, which run in parallel.
const probeTimeout = 12 * time.Second

// tests makes a round trip to each gateway, once.
func (x *examination) tests(ctx context.Context) ([]testedGateway, error) {
	x.gatewaysOnce.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		var found []messagingverbs.Gateway
		if x.gatewaysErr = x.call(ctx, "gateways.list", messagingverbs.Nothing{}, &found); x.gatewaysErr != nil {
			return
		}
		x.gateways = make([]testedGateway, len(found))
		var all sync.WaitGroup
		for i, g := range found {
			x.gateways[i].Gateway = g
			all.Go(func() {
				x.gateways[i].err = x.call(ctx, "gateways.test", messagingverbs.TestInput{Name: g.Name}, &x.gateways[i].tested)
				if ctx.Err() != nil {
					x.gateways[i].err = fmt.Errorf("no response within %s", probeTimeout)
				}
			})
		}
		all.Wait()
	})
	return x.gateways, x.gatewaysErr
}

func (x *examination) testGateways(ctx context.Context) (out []doctor.Finding) {
	all, err := x.tests(ctx)
	if err != nil {
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "the gateways can't be listed: %s", oneLine(err))}
	}
	for _, g := range all {
		at := "gateways/" + g.Name
		out = append(out, g.finding().About(g.Name).At(at))
		for _, n := range g.tested.Notices {
			status := doctor.Warning
			if n.Failed {
				status = doctor.Failed
			}
			out = append(out, doctor.Bad(status, n.Hint, "%s", n.Text).About(g.Name).At(at))
		}
	}
	if len(out) == 0 {
		out = append(out, doctor.Bad(doctor.Warning, "add one to gateways, or run griot admin gateways add", "there are no gateways, so Griot can't send messages").At("gateways"))
	}
	return out
}

// broken returns the reason that nothing can be sent through the gateway; "" if it works as far as is known.
func (g *testedGateway) broken() (why, hint string) {
	const settings = "correct its settings (griot.yaml, or griot admin gateways set)"
	switch {
	case g.Problem != "":
		return "it could not be opened with its stored settings: " + g.Problem, settings
	case g.err != nil:
		return g.err.Error(), settings
	case g.tested.Result == messagingverbs.TestFailed:
		return g.tested.Text + ": " + g.tested.Problem, g.tested.Hint + " (griot.yaml, or griot admin gateways set)"
	}
	return "", ""
}

func (g *testedGateway) finding() doctor.Finding {
	if why, hint := g.broken(); why != "" {
		return doctor.Bad(doctor.Failed, hint, "%s", why)
	}
	down := 0
	for _, s := range g.Senders {
		if s.State != "" && !gateway.ConnState(s.State).Usable() {
			down++
		}
	}
	switch {
	case down > 0:
		return doctor.Bad(doctor.Warning, "run griot admin gateways list to see which ones, and why", "%s: %d of its %d senders are not connected", g.Kind, down, len(g.Senders))
	case g.FailingAt != nil && g.tested.Result == messagingverbs.TestNoProbe:
		return doctor.Bad(doctor.Failed, "run griot admin gateways list to see its last error", "%s: attempts have failed since %s", g.Kind, g.FailingAt.UTC().Format(time.RFC3339))
	case g.tested.Result == messagingverbs.TestNoProbe:
		return doctor.Bad(doctor.Unknown, "", "%s: it can't be tested without sending a message", g.Kind)
	case g.FailingAt != nil:
		return doctor.Bad(doctor.Warning, "run griot admin gateways list to see its last error", "%s: it responds, but attempts have failed since %s", g.Kind, g.FailingAt.UTC().Format(time.RFC3339))
	}
	return doctor.Good("%s: it responds and accepts the credentials", g.Kind)
}

// gatewayAhead returns the difference between the gateways' clocks and ours: the median, because one of them might be
// wrong.
func (x *examination) gatewayAhead(ctx context.Context) (time.Duration, bool) {
	all, _ := x.tests(ctx)
	var ahead []int64
	for _, g := range all {
		if g.err == nil && g.tested.AheadMs != nil {
			ahead = append(ahead, *g.tested.AheadMs)
		}
	}
	if len(ahead) == 0 {
		return 0, false
	}
	slices.Sort(ahead)
	return time.Duration(ahead[(len(ahead)-1)/2]) * time.Millisecond, true
}

// find returns the gateway with a name; nil if there is none.
func find(all []testedGateway, name string) *testedGateway {
	if i := slices.IndexFunc(all, func(g testedGateway) bool { return g.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}
