package token

import (
	"context"
)

// Occupy takes every signing slot until release is called.
func (s *Signer) Occupy() (release func()) {
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	return func() {
		for range cap(s.slots) {
			<-s.slots
		}
	}
}

// How the keys are rotated.
const (
	KeyTime      = keyTime
	LeadTime     = leadTime
	PreviousTime = previousTime
)

// Steps returns the status table as "step: from -> to".
func Steps() []string {
	names := map[step]string{activate: "activate", supersede: "supersede", retire: "retire", revoke: "revoke"}
	var lines []string
	for i, m := range steps() {
		for _, from := range m.From {
			lines = append(lines, names[step(i)]+": "+string(from)+" -> "+string(m.To))
		}
	}
	return lines
}

// Stale is a signer with the keys from the time of its creation.
type Stale struct {
	s    *Signer
	keys *keySet
}

// Stale returns the signer with its current keys.
func (s *Signer) Stale() Stale { return Stale{s, s.keys.Load()} }

// Publish performs the step that Maintain would have performed at that time.
func (o Stale) Publish(ctx context.Context) error { return o.s.publish(ctx, o.keys.active, o.s.now()) }

// Activate performs the step that Maintain would have performed at that time.
func (o Stale) Activate(ctx context.Context) error {
	return o.s.activateNext(ctx, o.keys.active, o.keys.next, o.s.now())
}

// ReplaceAll performs the first attempt of RotateEmergency.
func (o Stale) ReplaceAll(ctx context.Context) (bool, error) {
	fresh, err := generate(o.s.box, Active, o.s.now())
	if err != nil {
		return false, err
	}
	return o.s.replaceAll(ctx, o.keys.active, fresh, o.s.now())
}
