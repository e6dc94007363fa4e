package pairing

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/internal/seal"
	"example.com/griot/griot-whatsapp/store"
)

// Errors of a pairing, in addition to those of [device.Pair].
var (
	ErrAlreadyPaired = &device.PairError{Reason: "already_paired", Text: "the number is linked already: griot-whatsapp devices remove forgets it"}
	ErrHeldElsewhere = &device.PairError{Reason: "held_elsewhere", Text: "another process is pairing this number, or holds it"}
	ErrStore         = &device.PairError{Reason: "store_failed", Text: "the store can't be read or written"}
)

// defaultTimeout is longer than the time for which WhatsApp offers codes and waits for a passkey.
const defaultTimeout = 10 * time.Minute

// Pairer links numbers.
type Pairer struct {
	Store    *store.Store
	WhatsApp *http.Client  // nil: connect to the real WhatsApp
	Lease    time.Duration // time until the number of a crashed process can be taken over; 0: [store.DefaultLease]
	Timeout  time.Duration // maximum time to wait for a phone; 0: ten minutes
	// Passkey gets the response of the account's passkey, as [device.PairConfig.Passkey].
	Passkey func(ctx context.Context, request []byte) (response []byte, err error)
}

// Check returns nil if the number can be paired, because it is not paired yet or only a new pairing helps.
func (p *Pairer) Check(ctx context.Context, number string) error {
	numbers, err := p.Store.Numbers(ctx)
	if err != nil {
		return errors.Join(ErrStore, err)
	}
	for _, n := range numbers {
		if n.Number == number && !device.State(n.State).Final() {
			return ErrAlreadyPaired
		}
	}
	return nil
}

// Pair links a number and stores it, after a phone with this number has scanned or typed the code that show displays.
// It deletes an older device of the number. The end of ctx cancels the pairing only until a phone is being linked.
func (p *Pairer) Pair(ctx context.Context, number string, byCode bool, show func(what string, until time.Time)) error {
	if err := p.Check(ctx, number); err != nil {
		return err
	}
	lease, err := p.acquire(ctx, number)
	if err != nil {
		return err
	}
	defer release(lease)
	if err := Complete(ctx, p.Store, lease); err != nil {
		return errors.Join(ErrStore, err)
	}
	if err := p.Check(ctx, number); err != nil { // a previous holder might have paired it
		return err
	}
	timeout := p.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, device.ErrPairTimeout)
	defer cancel()
	ctx, lost := context.WithCancelCause(ctx)
	defer p.keep(ctx, lease, p.lease(), lost)()
	linking := ""
	err = device.Pair(ctx, device.PairConfig{
		Store: p.Store.Devices.NewDevice(), Number: number, Code: byCode, HTTP: p.WhatsApp, Show: show, Passkey: p.Passkey,
		Linking: func(ctx context.Context, jid string) error {
			linking = jid
			return saved(p.Store.SetLinking(ctx, lease, jid))
		},
		Save: func(ctx context.Context, jid string) error { return saved(save(ctx, p.Store, lease, jid)) },
	})
	if err != nil && linking != "" { // the device was unlinked again
		_ = p.Store.Linked(context.WithoutCancel(ctx), number, linking) // otherwise, Complete finds no device
	}
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

func (p *Pairer) lease() time.Duration {
	if p.Lease == 0 {
		return store.DefaultLease
	}
	return p.Lease
}

// acquire acquires the number's lease. It waits for the lease of a process that has just crashed to expire.
func (p *Pairer) acquire(ctx context.Context, number string) (*store.Lease, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.lease()+p.lease()/2, ErrHeldElsewhere)
	defer cancel()
	tick := time.NewTicker(p.lease() / 10)
	defer tick.Stop()
	for holder := seal.Name(); ; {
		lease, err := p.Store.Acquire(ctx, number, holder, p.lease())
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, errors.Join(ErrStore, err)
		case lease != nil:
			return lease, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// keep renews the lease until the returned function is called. It calls lost if another process has the lease.
func (p *Pairer) keep(ctx context.Context, lease *store.Lease, ttl time.Duration, lost context.CancelCauseFunc) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(ttl / 5)
		defer tick.Stop()
		for renewed := time.Now(); ; {
			select {
			case <-tick.C:
			case <-done:
				return
			}
			asked := time.Now()
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), ttl/5) // the lease is needed until the device is stored
			gone, err := p.Store.Renew(limited, []*store.Lease{lease})
			cancel()
			switch {
			case err == nil && len(gone) == 0:
				renewed = asked
			case err == nil:
				lost(ErrHeldElsewhere)
				return
			case time.Since(renewed) > ttl/2:
				lost(ErrStore)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		lost(nil)
	}
}

func release(lease *store.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = lease.Release(ctx) // it expires on its own
}

// save stores the new device and deletes the number's older one.
func save(ctx context.Context, s *store.Store, lease *store.Lease, jid string) error {
	if err := Forget(ctx, s, lease.Number, jid); err != nil {
		return err
	}
	return s.Save(ctx, lease, jid)
}

// saved converts an error of the store.
func saved(err error) error {
	switch {
	case errors.Is(err, store.ErrLease):
		return ErrHeldElsewhere
	case err != nil:
		return errors.Join(ErrStore, err)
	}
	return nil
}

// Complete completes the pairing of a process that was killed while a phone linked its device, under the lease of the
// number. WhatsApp has linked the device then, or refuses its next login. Otherwise, the phone would show a device that no
// process uses. It does nothing if there is no such pairing.
func Complete(ctx context.Context, s *store.Store, lease *store.Lease) error {
	linking, err := s.Linking(ctx)
	if err != nil || linking[lease.Number] == "" {
		return err
	}
	text := linking[lease.Number]
	jid, err := types.ParseJID(text)
	if err != nil {
		return err
	}
	device, err := s.Devices.GetDevice(ctx, jid)
	switch {
	case err != nil:
		return err
	case device == nil: // the phone was not told to link it
		return s.Linked(ctx, lease.Number, text)
	}
	return save(ctx, s, lease, text)
}

// Forget deletes the keys of a number's devices, except for the device with the JID except.
func Forget(ctx context.Context, s *store.Store, number, except string) error {
	numbers, err := s.Numbers(ctx)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n.Number != number || n.JID == except {
			continue
		}
		jid, err := types.ParseJID(n.JID)
		if err != nil {
			return err
		}
		old, err := s.Devices.GetDevice(ctx, jid)
		if err != nil || old == nil {
			return err
		}
		return old.Delete(ctx)
	}
	return nil
}
