package gatewaystore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
)

// Act is a change of a stored gateway.
type Act string

// The changes.
const (
	ActAdded   Act = "added"
	ActChanged Act = "changed"
	ActRemoved Act = "removed"
)

// record returns the database write that records a change. It is called before the transaction of the change.
func (s *Store) record(ctx context.Context, act Act, name, kind string) func(*db.Tx) error {
	if s.o.Record == nil {
		return func(*db.Tx) error { return nil }
	}
	return s.o.Record(ctx, act, name, kind)
}

// Errors of changes that operators ask for.
var (
	ErrConfigured = errors.New("gatewaystore: the configuration has a gateway of this name")
	ErrTaken      = errors.New("gatewaystore: there is a gateway of this name")
	ErrNotFound   = errors.New("gatewaystore: no gateway of this name is stored")
	ErrInUse      = errors.New("gatewaystore: the gateway is in use")
	ErrName       = errors.New("gatewaystore: a name is made of 1 to 64 letters, digits, -, and _")
)

// SettingsError reports that a driver did not open with the given settings. It contains the names of fields, never their values.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

// Unwrap returns the driver's error.
func (e *SettingsError) Unwrap() error { return e.Err }

// Add stores a gateway whose driver opens with the settings.
//
// Errors: [ErrName], [ErrConfigured], [ErrTaken], *[SettingsError].
func (s *Store) Add(ctx context.Context, name, kind string, settings json.RawMessage) error {
	if !validName(name) {
		return ErrName
	}
	if s.configured(name) != nil {
		return ErrConfigured
	}
	if err := s.check(name, kind, settings); err != nil {
		return err
	}
	g := &stored{name: name, kind: kind, settings: s.box.Seal(settings, name), revision: id.Random(), created: s.o.Now()}
	inserted, record := false, s.record(ctx, ActAdded, name, kind)
	err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if inserted, err = insert(tx, g); err != nil || !inserted {
			return err
		}
		return record(tx)
	})
	if err == nil && !inserted {
		err = ErrTaken
	}
	if err != nil {
		return err
	}
	return s.Sync(ctx)
}

// Set replaces a stored gateway's settings. Attempts in flight end with the previous settings.
//
// Errors: [ErrConfigured], [ErrNotFound], *[SettingsError].
func (s *Store) Set(ctx context.Context, name string, settings json.RawMessage) error {
	return s.SetShown(ctx, name, "", settings)
}

// SetShown is like [Store.Set], for a form that showed a revision of the gateway: see [Entry]. An empty revision is not checked.
//
// Errors: those of Set, and [forms.ErrStale] if the settings have changed since that revision, unless they are equal to the new ones.
func (s *Store) SetShown(ctx context.Context, name, shown string, settings json.RawMessage) error {
	return s.change(ctx, name, func(*stored) (string, json.RawMessage, error) { return shown, settings, nil })
}

// Change is like [Store.SetShown], for new settings that depend on the stored ones. It also returns [forms.ErrStale] if the
// settings change while it runs, and the error of merge.
func (s *Store) Change(ctx context.Context, name, shown string, merge func(kind string, stored json.RawMessage) (json.RawMessage, error)) error {
	return s.change(ctx, name, func(g *stored) (string, json.RawMessage, error) {
		settings, err := s.box.Open(g.settings, name)
		if err == nil {
			settings, err = merge(g.kind, settings)
		}
		if err == nil && shown != "" && shown != g.revision && !s.hasSettings(g, settings) {
			err = forms.ErrStale
		}
		return g.revision, settings, err
	})
}

// Stored returns the kind, the revision, and the settings of a stored gateway. The settings contain secrets.
//
// Errors: [ErrConfigured], [ErrNotFound].
func (s *Store) Stored(ctx context.Context, name string) (kind, revision string, settings json.RawMessage, err error) {
	g, err := s.find(ctx, name)
	if err != nil {
		return "", "", nil, err
	}
	settings, err = s.box.Open(g.settings, name)
	return g.kind, g.revision, settings, err
}

// find returns a stored gateway that the configuration doesn't have.
func (s *Store) find(ctx context.Context, name string) (*stored, error) {
	if s.configured(name) != nil {
		return nil, ErrConfigured
	}
	g, err := find(s.o.DB.Read(ctx), name)
	if err == nil && g == nil {
		err = ErrNotFound
	}
	return g, err
}

// change replaces the settings of a stored gateway with those that next derives from it. They are refused with
// [forms.ErrStale] if the gateway then has another revision than base, unless base is empty or the settings are equal.
func (s *Store) change(ctx context.Context, name string, next func(g *stored) (base string, settings json.RawMessage, err error)) error {
	g, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	base, settings, err := next(g)
	if err != nil {
		return err
	}
	if err := s.check(name, g.kind, settings); err != nil {
		return err
	}
	sealed, revision, found := s.box.Seal(settings, name), id.Random(), false
	record := s.record(ctx, ActChanged, name, g.kind)
	var refused error
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		refused = nil
		if found, err = lockRow(tx, name); err != nil || !found {
			return err
		}
		if now, err := find(&tx.Query, name); err != nil || now == nil || now.kind != g.kind {
			found = false
			return err
		} else if base != "" && base != now.revision {
			if !s.hasSettings(now, settings) {
				refused = forms.ErrStale
			}
			return nil
		}
		if found, err = update(tx, name, g.kind, sealed, revision); err != nil || !found {
			return err
		}
		return record(tx)
	})
	if err == nil {
		err = refused
	}
	if err == nil && !found { // in the meantime, removed, or added again with another kind
		err = ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.Sync(ctx)
}

// hasSettings reports whether a stored gateway already has the given settings.
func (s *Store) hasSettings(g *stored, settings json.RawMessage) bool {
	has, err := s.box.Open(g.settings, g.name)
	return err == nil && bytes.Equal(has, settings)
}

// Remove deletes a stored gateway. It is closed after its attempts in flight. The configuration can also contain a
// gateway with this name. In that case, the deployment starts again after the stored one is removed.
//
// Errors: [ErrConfigured], [ErrNotFound], [ErrInUse].
func (s *Store) Remove(ctx context.Context, name string) error {
	found, used := false, false
	record := s.record(ctx, ActRemoved, name, "")
	err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		found, used = false, false
		if s.o.InUse != nil && s.configured(name) == nil { // otherwise, its users continue with the gateway of the configuration
			if found, err = lockRow(tx, name); err != nil || !found { // locked before InUse reads, so that no user is added afterward
				return err
			}
			if used, err = s.o.InUse(&tx.Query, name); err != nil || used {
				return err
			}
		}
		if found, err = remove(tx, name); err != nil || !found {
			return err
		}
		return record(tx)
	})
	switch {
	case err != nil:
		return err
	case used:
		return ErrInUse
	case !found && s.configured(name) != nil:
		return ErrConfigured
	case !found:
		return ErrNotFound
	}
	return s.Sync(ctx)
}

// Lock reports whether a gateway with the name exists. It prevents its removal until the transaction ends, so that
// the transaction can store a user of the gateway.
func (s *Store) Lock(tx *db.Tx, name string) (bool, error) {
	if s.configured(name) != nil {
		return true, nil
	}
	return lockRow(tx, name)
}

// check opens a gateway and closes it again.
func (s *Store) check(name, kind string, settings json.RawMessage) error {
	g, err := s.openDriver(name, kind, settings)
	if err != nil {
		return &SettingsError{err}
	}
	return g.Close()
}

// validName reports whether s is a valid gateway name. The name is a part of the URL that its provider calls.
func validName(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
