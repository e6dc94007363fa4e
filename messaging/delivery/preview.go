package delivery

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/internal/sms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/quota"
	"example.com/griot/messaging/route"
)

// A Preview is the expected result of a request.
type Preview struct {
	Message *message.Message // on its first route, not stored
	Routes  []message.Route  // in the order of the attempts; none in the sandbox
	SMS     *Segments        // of the text in the gateway's form, if a route uses SMS
	Used    int64
	Limit   int64 // 0: none
}

// Segments describe the form of a text in SMS.
type Segments struct {
	Encoding sms.Encoding
	Count    int
	Units    int // in septets or 16-bit units
}

// Preview checks a request like [Service.Submit], and returns its routes, its size in SMS, and the quota. It stores
// and sends nothing, and ignores the idempotency key.
//
// Errors: those of Submit before anything is stored. A used-up quota is not an error.
func (s *Service) Preview(ctx context.Context, c *account.Caller, r *message.Request) (*Preview, error) {
	now := s.o.Now()
	m, err := s.draft(c, r, now)
	if err != nil {
		return nil, err
	}
	p := &Preview{Message: m, Limit: c.Account.Plan.DailyLimit}
	if !r.Sandbox {
		if err := s.route(ctx, c.Account, p); err != nil {
			return nil, err
		}
	}
	p.Used, err = quota.Used(s.o.DB.Read(ctx), c.Account.ID, quota.Day(now))
	return p, err
}

// route lists the routes that would be tried if each one failed.
func (s *Service) route(ctx context.Context, a *account.Account, p *Preview) error {
	conditions, err := s.conditions(ctx, a, p.Message)
	if err != nil {
		return err
	}
	w, err := route.First(p.Message, conditions)
	if err != nil {
		return err
	}
	p.Message.SetRoute(w)
	for ok := true; ok; w, ok = route.Next(p.Message, p.Routes, conditions) {
		p.Routes = append(p.Routes, w)
		if w.Channel == gateway.SMS {
			p.SMS = s.segments(w.Gateway, p.Message.Content.Text)
		}
	}
	return nil
}

// segments returns the size of a text in the form that a gateway uses.
func (s *Service) segments(gatewayName, text string) *Segments {
	measure := sms.Measure
	if g := s.o.Gateways.Get(gatewayName); g != nil && g.Info().Transliterates {
		if g.Info().Latin1 {
			text, measure = sms.TransliterateLatin1(text), sms.MeasureLatin1
		} else {
			text = sms.Transliterate(text)
		}
	}
	encoding, count, units := measure(text)
	return &Segments{encoding, count, units}
}
