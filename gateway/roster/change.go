package roster

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"griot/internal/db"
	"griot/internal/id"
)

// Errors of what operators ask for.
var (
	ErrConfigured = errors.New("roster: the configuration has a gateway of this name")
	ErrTaken      = errors.New("roster: there is a gateway of this name")
	ErrNone       = errors.New("roster: no gateway of this name is stored")
	ErrUsed       = errors.New("roster: something lives on the gateway")
	ErrName       = errors.New("roster: a name is made of 1 to 64 letters, digits, - and _")
)

// SettingsError is why a driver does not open with some settings. It names members, never values.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

// Unwrap returns the driver's error.
func (e *SettingsError) Unwrap() error { return e.Err }

// Add stores a gateway, with which its driver must open.
//
// Errors: [ErrName], [ErrConfigured], [ErrTaken], *[SettingsError].
func (r *Roster) Add(ctx context.Context, name, kind string, settings json.RawMessage) error {
	if !plainName(name) {
		return ErrName
	}
	if r.configured(name) != nil {
		return ErrConfigured
	}
	if err := r.check(name, kind, settings); err != nil {
		return err
	}
	g := &stored{name: name, kind: kind, settings: r.box.Seal(settings, name), revision: id.Random(), created: r.o.Now()}
	fresh := false
	err := r.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		fresh, err = insert(tx, g)
		return err
	})
	if err == nil && !fresh {
		err = ErrTaken
	}
	if err != nil {
		return err
	}
	return r.Sync(ctx)
}

// Set replaces a stored gateway's settings. Messages under way end with the ones before.
//
// Errors: [ErrConfigured], [ErrNone], *[SettingsError].
func (r *Roster) Set(ctx context.Context, name string, settings json.RawMessage) error {
	if r.configured(name) != nil {
		return ErrConfigured
	}
	g, err := find(r.o.DB.Read(ctx), name)
	if err != nil {
		return err
	}
	if g == nil {
		return ErrNone
	}
	if err := r.check(name, g.kind, settings); err != nil {
		return err
	}
	sealed, revision, found := r.box.Seal(settings, name), id.Random(), false
	err = r.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		found, err = update(tx, name, g.kind, sealed, revision)
		return err
	})
	if err == nil && !found { // removed meanwhile, or added again as something else
		err = ErrNone
	}
	if err != nil {
		return err
	}
	return r.Sync(ctx)
}

// Remove takes a stored gateway away. Messages under way end first. It may be
// one that the configuration has too: so that a deployment that has it twice starts again.
//
// Errors: [ErrConfigured], [ErrNone], [ErrUsed].
func (r *Roster) Remove(ctx context.Context, name string) error {
	found, used := false, false
	err := r.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		found, used = false, false
		if r.o.Used != nil && r.configured(name) == nil { // or else who lives on it goes on with the configuration's
			if found, err = hold(tx, name); err != nil || !found { // before the look: nobody moves in after it
				return err
			}
			if used, err = r.o.Used(&tx.Query, name); err != nil || used {
				return err
			}
		}
		found, err = remove(tx, name)
		return err
	})
	switch {
	case err != nil:
		return err
	case used:
		return ErrUsed
	case !found && r.configured(name) != nil:
		return ErrConfigured
	case !found:
		return ErrNone
	}
	return r.Sync(ctx)
}

// Hold reports whether there is a gateway of a name, which stays there until the
// transaction ends: so that what the transaction stores can live on it.
func (r *Roster) Hold(tx *db.Tx, name string) (bool, error) {
	if r.configured(name) != nil {
		return true, nil
	}
	return hold(tx, name)
}

// check opens a gateway and closes it again.
func (r *Roster) check(name, kind string, settings json.RawMessage) error {
	g, err := r.openAs(name, kind, settings)
	if err != nil {
		return &SettingsError{err}
	}
	return g.Close()
}

// plainName: a gateway's name is a part of the address that its provider calls.
func plainName(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
