package masterkey

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Rotation rotates a deployment's master key. It is safe for concurrent use.
type Rotation struct {
	DB      *db.DB
	Key     *seal.Key
	Places  []Place
	Lasting []string // purposes of secrets that outlive the key
	Walks   bool     // Run reseals data, in addition to following the database
	Now     clock.Now
	Log     *slog.Logger
}

// Errors of a rotation.
var (
	ErrSameKey = errors.New("the configured master key seals already: configure the new one as master_key_file and the one until now as master_key_previous_file, and start every process with both")
	ErrBehind  = errors.New("not every process that uses the database has both keys yet: start all of them with master_key_file and master_key_previous_file")
)

const lastingPurpose = "lasting-secret"

// all returns the columns to walk: those of the services and the package's own.
func (r *Rotation) all() []Place {
	return append(slices.Clone(r.Places), Place{Table: "master_key_secrets", Column: "sealed", Purpose: lastingPurpose, Key: "purpose"})
}

// Follow makes a key seal with the key that the database names. It fails if the key is another deployment's, or the
// previous key is missing.
func Follow(ctx context.Context, d *db.DB, key *seal.Key) error {
	s, err := find(d.Read(ctx))
	if err != nil || s == nil {
		return err
	}
	if !key.SealWith(s.Sealing) {
		return &seal.WrongKeyError{Configured: key.Name(), Used: s.Sealing}
	}
	if s.FinishedAt.IsZero() && !slices.Contains(key.Names(), s.Previous) {
		return fmt.Errorf("the master key is being rotated, and the one before (%s) is still needed: master_key_previous_file", s.Previous)
	}
	key.SetFirst(s.First)
	kept, err := secrets(d.Read(ctx))
	if err != nil {
		return err
	}
	box := key.Box(lastingPurpose)
	for purpose, sealed := range kept {
		plain, err := box.Open(sealed, purpose)
		if err != nil {
			return fmt.Errorf("the lasting secret %s: %w", purpose, err)
		}
		key.Keep(purpose, plain)
	}
	return nil
}

// State returns the sealing key and the progress of the latest rotation; nil if no server has used the database yet.
func (r *Rotation) State(ctx context.Context) (*State, error) { return find(r.DB.Read(ctx)) }

// Begin starts a rotation to the configured key. It continues a rotation in progress, or walks all columns again after
// one that has ended. Run or Finish does the rest.
//
// Errors: [ErrSameKey], [ErrBehind].
func (r *Rotation) Begin(ctx context.Context) (*State, error) {
	if err := Follow(ctx, r.DB, r.Key); err != nil {
		return nil, err
	}
	s, err := r.State(ctx)
	if err != nil {
		return nil, err
	}
	from, to := r.Key.Sealing(), r.Key.Name()
	switch {
	case (s == nil || s.Pass == 0) && from == to:
		return nil, ErrSameKey
	case s != nil && s.FinishedAt.IsZero():
		return s, nil
	case from == to:
		err = r.DB.Write(ctx, func(tx *db.Tx) error {
			_, err := again(tx, s.Pass)
			return err
		})
	default:
		err = r.begin(ctx, from, to)
	}
	if err != nil {
		return nil, err
	}
	if err := Follow(ctx, r.DB, r.Key); err != nil {
		return nil, err
	}
	return r.State(ctx)
}

func (r *Rotation) begin(ctx context.Context, from, to string) error {
	if without, _, err := r.behind(ctx, to); err != nil || without > 0 {
		return errors.Join(err, map[bool]error{true: ErrBehind}[without > 0])
	}
	kept := map[string]string{}
	box := r.Key.Box(lastingPurpose)
	for _, purpose := range r.Lasting {
		kept[purpose] = box.Seal(r.Key.Kept(purpose), purpose) // with the previous key; the walk seals it again
	}
	return r.DB.Write(ctx, func(tx *db.Tx) error {
		begun, err := insert(tx, from, to, from, r.Now())
		if err != nil || !begun {
			return err
		}
		for purpose, sealed := range kept {
			if err := putSecret(tx, purpose, sealed); err != nil {
				return err
			}
		}
		return nil
	})
}

// behind returns the result of [behind]. On SQLite it returns no process, because there is no other one.
func (r *Rotation) behind(ctx context.Context, name string) (without, others int, err error) {
	if r.DB.Engine() == db.SQLite {
		return 0, 0, nil
	}
	return behind(r.DB.Read(ctx), name)
}

// Finish performs the steps of a rotation in progress if no server does.
func (r *Rotation) Finish(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = r.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Step performs the next step of a rotation in progress. more is false if there is none.
func (r *Rotation) Step(ctx context.Context) (more bool, err error) {
	s, err := r.State(ctx)
	if err != nil || s == nil || !s.FinishedAt.IsZero() {
		return false, err
	}
	if _, others, err := r.behind(ctx, s.Sealing); err != nil || others > 0 {
		return false, err // they follow within a second, and then Run continues
	}
	places := r.all()
	for i := range places {
		p := &places[i]
		position, done, err := findStep(r.DB.Read(ctx), p.Name(), s.Pass)
		if err != nil {
			return false, err
		}
		if !done {
			return true, r.walk(ctx, s, p, position)
		}
	}
	return true, r.DB.Write(ctx, func(tx *db.Tx) error {
		now, err := find(&tx.Query)
		switch {
		case err != nil || now == nil || now.Pass != s.Pass:
			return err
		case now.Found == 0:
			return finish(tx, s.Pass, r.Now())
		}
		_, err = again(tx, s.Pass)
		return err
	})
}

// walk seals the next rows of a place again.
func (r *Rotation) walk(ctx context.Context, s *State, p *Place, position string) error {
	found, err := p.rows(r.DB.Read(ctx), position)
	if err != nil {
		return err
	}
	box, to := r.Key.Box(p.Purpose), position
	fresh := map[int]string{}
	unreadable := int64(0)
	for i := range found {
		text, changed, err := p.reseal(box, &found[i])
		switch {
		case err != nil:
			unreadable++
			r.Log.WarnContext(ctx, "sealed with a master key that is not known", "place", p.Name(), "row", found[i].about(p))
		case changed:
			fresh[i] = text
		}
		to = found[i].position(p)
	}
	return r.DB.Write(ctx, func(tx *db.Tx) error {
		mine, err := putStep(tx, p.Name(), s.Pass, position, to, len(found) < p.size())
		if err != nil || !mine {
			return err
		}
		resealed := int64(0)
		for i, text := range fresh {
			changed, err := p.update(tx, &found[i], text)
			if err != nil {
				return err
			}
			if changed {
				resealed++
			}
		}
		return count(tx, s.Pass, resealed, unreadable)
	})
}

const (
	followEvery = time.Second
	seenEvery   = 3 * time.Second
)

// Run follows the sealing key, registers this process on PostgreSQL, and performs the steps of a rotation, until ctx
// ends.
func (r *Rotation) Run(ctx context.Context) error {
	self, seen := id.Random(), time.Time{}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	if r.DB.Engine() == db.Postgres {
		defer func() {
			_ = r.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) error { return removeHolder(tx, self) }) // otherwise its entry expires later
		}()
	}
	for ctx.Err() == nil {
		before := r.Key.Sealing()
		err := Follow(ctx, r.DB, r.Key)
		if now := r.Now(); r.DB.Engine() == db.Postgres && (now.Sub(seen) >= seenEvery || now.Before(seen) || r.Key.Sealing() != before) {
			seen = now
			err = errors.Join(err, r.DB.Write(ctx, func(tx *db.Tx) error { return putHolder(tx, self, r.Key.Names(), r.Key.Sealing()) })) // also registers a process that can't follow, because the walks wait for it
		}
		if err == nil && r.Walks {
			err = r.walkOn(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Error("following the master key", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return nil
}

// stepPause is the pause between two steps in which others can write.
const stepPause = 5 * time.Millisecond

// walkOn performs steps while there are any, and logs the end of a rotation.
func (r *Rotation) walkOn(ctx context.Context) error {
	for steps := 0; ctx.Err() == nil; steps++ {
		more, err := r.Step(ctx)
		if err != nil || !more {
			if s, failed := r.State(ctx); err == nil && failed == nil && steps > 0 && s != nil && !s.FinishedAt.IsZero() {
				r.Log.InfoContext(ctx, "the master key is rotated: everything is sealed with the new one", "key", s.Sealing, "resealed", s.Resealed, "unreadable", s.Unreadable)
			}
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(stepPause):
		}
	}
	return nil
}
