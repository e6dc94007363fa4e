package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// pairs reports whether the driver links numbers.
func pairs(s Subject) bool { return s.Sender.Info().Pairs && implements[gateway.Pairer](s) }

// checkPairing checks that a pairing shows a code, continues if it is started again, and ends when a phone is linked
// or it is canceled. The code is not logged. After Close or the end of the context, the calls fail.
func checkPairing(s Subject) error {
	pairer, ok := s.Sender.(gateway.Pairer)
	if !ok {
		return errors.New("not a gateway.Pairer")
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	for _, method := range []gateway.PairingMethod{gateway.PairByQR, gateway.PairByCode} {
		if err := s.checkPairingBy(ctx, pairer, method); err != nil {
			return fmt.Errorf("pairing by %s: %w", method, err)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	if p, err := pairer.StartPairing(ended, s.Channel, s.From, gateway.PairByQR); err == nil {
		return fmt.Errorf("StartPairing = %s although its context has ended, want an error", p.State)
	}
	if err := closeInTime(s); err != nil {
		return err
	}
	if p, err := pairer.PairingStatus(ctx, s.Channel, s.From); err == nil {
		return fmt.Errorf("PairingStatus = %s after Close, want an error", p.State)
	}
	return nil
}

// checkPairingBy starts a pairing, cancels it, and starts another one, which a phone completes.
func (s Subject) checkPairingBy(ctx context.Context, pairer gateway.Pairer, method gateway.PairingMethod) error {
	if _, err := s.startPairing(ctx, pairer, method); err != nil {
		return err
	}
	if err := pairer.CancelPairing(ctx, s.Channel, s.From); err != nil {
		return fmt.Errorf("CancelPairing: %w", err)
	}
	if p, err := pairer.PairingStatus(ctx, s.Channel, s.From); err != nil || p.State.UnderWay() {
		return fmt.Errorf("PairingStatus after CancelPairing = %s, %w; want that it is over", p.State, err)
	}
	shown, err := s.startPairing(ctx, pairer, method)
	if err != nil {
		return err
	}
	s.Provider.LinkPhone(shown)
	if p, err := s.pairing(ctx, pairer, func(p gateway.PairingProgress) bool { return !p.State.UnderWay() }); err != nil || p.State != gateway.PairingDone {
		return fmt.Errorf("PairingStatus after a phone was linked = %s %s, %w; want %s", p.State, p.Reason, err, gateway.PairingDone)
	}
	if strings.Contains(s.Logged(), shown) {
		return errors.New("the log repeats what was shown")
	}
	return nil
}

// startPairing starts a pairing twice and returns the code to scan or type.
func (s Subject) startPairing(ctx context.Context, pairer gateway.Pairer, method gateway.PairingMethod) (string, error) {
	for range 2 {
		if p, err := pairer.StartPairing(ctx, s.Channel, s.From, method); err != nil || !p.State.UnderWay() {
			return "", fmt.Errorf("StartPairing = %s %s, %w; want that it is under way", p.State, p.Reason, err)
		}
	}
	p, err := s.pairing(ctx, pairer, func(p gateway.PairingProgress) bool { return p.State != gateway.PairingStarting })
	if err != nil {
		return "", err
	}
	shown, other := p.QR, p.Code
	if method == gateway.PairByCode {
		shown, other = p.Code, p.QR
	}
	if p.State != gateway.PairingWaiting || shown == "" || other != "" {
		return "", fmt.Errorf("PairingStatus = %s, with a QR code: %v, with a code: %v; want %s with what the method shows", p.State, p.QR != "", p.Code != "", gateway.PairingWaiting)
	}
	return shown, nil
}

// pairing polls until done accepts the progress.
func (s Subject) pairing(ctx context.Context, pairer gateway.Pairer, done func(gateway.PairingProgress) bool) (gateway.PairingProgress, error) {
	for {
		p, err := pairer.PairingStatus(ctx, s.Channel, s.From)
		if err != nil || done(p) {
			return p, err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return p, ctx.Err()
		}
	}
}
