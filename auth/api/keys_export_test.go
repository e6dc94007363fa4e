package api

import "context"

// MaintainKeys performs one tick of Run.
func (a *API) MaintainKeys(ctx context.Context) error { return a.signer.Maintain(ctx) }

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
