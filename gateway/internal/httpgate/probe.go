package httpgate

import (
	"context"
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// probe is a request that sends no message and shows that the credentials are correct. It has those headers of the
// message's request that do not depend on a message.
type probe struct {
	URL     string `json:"url"`
	Success *rule  `json:"success"` // nil: any 2xx
}

// newProbe compiles the probe, or returns nil if the settings have none.
func newProbe(s *Settings) (*requestTemplate, error) {
	if s.Probe == nil {
		return nil, nil
	}
	w := &requestTemplate{method: http.MethodGet}
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

// Sender is the interface of the senders of every kind.
type Sender interface {
	gateway.Sender
	gateway.WebhookReceiver
}

// WithProbe returns the sender that embeds the gateway. It is a [gateway.Prober] if the settings have a probe.
func (g *Gateway) WithProbe(s Sender) gateway.Sender {
	if g.probe == nil {
		return s
	}
	return &prober{s, g}
}

type prober struct {
	Sender
	g *Gateway
}

// Probe implements [gateway.Prober].
func (p *prober) Probe(ctx context.Context) error {
	request, err := p.g.probe.fill(p.g.settings.ownValues())
	if err != nil {
		return &gateway.Error{Class: gateway.Permanent, Code: "request_invalid"}
	}
	answer, failure := p.g.do(ctx, request)
	if failure == nil {
		a := parseAnswer(answer)
		if answer.Whole && p.g.settings.Probe.Success.holds(a) {
			return nil
		}
		failure = p.g.settings.errorOf(a)
	}
	return httpcall.ProbeError(failure)
}
