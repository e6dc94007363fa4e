package main

import (
	"context"
	"errors"
	"log/slog"

	"example.com/griot/internal/doctor"
	"example.com/griot/internal/seal"
)

// checkKey compares the master key with the database. A wrong key is not used for anything else, because data that it
// can't open would look like errors in other settings.
func (x *examination) checkKey(ctx context.Context) {
	if x.db == nil || x.key == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	x.keyName, x.keyErr = x.key.Name(), newRotation(x.db, x.key, slog.New(slog.DiscardHandler)).Check(ctx)
	if x.wrongKey() != nil {
		x.key = nil
	}
}

// wrongKey returns the error for a master key that is not the deployment's; nil if it is, or if that isn't known.
func (x *examination) wrongKey() error {
	if wrong, ok := errors.AsType[*seal.WrongKeyError](x.keyErr); ok {
		return wrong
	}
	return nil
}

// noKey returns the reason that there is no master key to use.
func (x *examination) noKey() error {
	if err := x.wrongKey(); err != nil {
		return err
	}
	return errors.New("the master key can't be read")
}

func (x *examination) masterKey(context.Context) []doctor.Finding {
	switch {
	case x.wrongKey() != nil:
		return []doctor.Finding{doctor.Bad(doctor.Failed, "correct master_key_file, or restore the key (docs/operating/master-key.md)", "%s", x.wrongKey())}
	case x.db == nil || x.key == nil:
		return nil // other checks report the reason
	case x.keyErr != nil:
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "update the schema with griot serve or griot migrate", "the key can't be compared with the database")}
	}
	return []doctor.Finding{doctor.Good("%s is this deployment's key", x.keyName)}
}
