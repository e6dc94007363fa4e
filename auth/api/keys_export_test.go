package api

import "context"

// Tend does what Run does at each of its ticks.
func (a *API) Tend(ctx context.Context) error { return a.signer.Tend(ctx) }

// Rotate publishes a next key.
func (a *API) Rotate(ctx context.Context) error {
	_, err := a.signer.Rotate(ctx)
	return err
}

// RotateEmergency replaces every key.
func (a *API) RotateEmergency(ctx context.Context) error {
	_, err := a.signer.RotateEmergency(ctx)
	return err
}
