package httpgate

import (
	"context"
	"net/http"

	"griot/gateway"
)

// probe is a question that sends nothing, and shows that the gateway knows us. It is made with those of the request's
// headers that need no message.
type probe struct {
	URL     string `json:"url"`
	Success *rule  `json:"success"` // without one, any 2xx
}

// newProbe compiles the probe; nil without one.
func newProbe(s *Settings) (*writer, error) {
	if s.Probe == nil {
		return nil, nil
	}
	w := &writer{method: http.MethodGet}
	known := func(name string) bool {
		_, own := s.values[name]
		return own
	}
	var err error
	if err = w.compileURL("probe.url", s.Probe.URL, known); err != nil {
		return nil, err
	}
	if w.headers, err = compileAll("headers", s.Headers, func(string) bool { return true }); err != nil {
		return nil, err
	}
	if s.Probe.Success == nil {
		s.Probe.Success = &rule{Status: []string{"2xx"}}
	}
	return w, s.Probe.Success.prepare("probe.success")
}

// Prober asks the probe of a gateway.
type Prober struct{ g *Gateway }

// Prober returns what probes the gateway; ok is false if its settings have no probe.
func (g *Gateway) Prober() (p Prober, ok bool) { return Prober{g}, g.probe != nil }

// Probe implements [gateway.Prober].
func (p Prober) Probe(ctx context.Context) error {
	request, err := p.g.probe.write(p.g.settings.own())
	if err != nil {
		return &gateway.Error{Class: gateway.Permanent, Code: "request_invalid"}
	}
	answer, failure := p.g.carry(ctx, request)
	if failure == nil {
		a := newReply(answer)
		if answer.Whole && p.g.settings.Probe.Success.holds(a) {
			return nil
		}
		failure = p.g.settings.refusal(a)
	}
	if failure.Class.HandedOver() { // a question hands nothing over
		failure.Class = gateway.Temporary
	}
	return failure
}
