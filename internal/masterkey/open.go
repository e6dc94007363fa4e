package masterkey

import (
	"context"
	"slices"

	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// Open makes the key seal with the key that the database names. Every process calls it at its start. The first one
// stores the key's name.
//
// Errors: [seal.WrongKeyError].
func (r *Rotation) Open(ctx context.Context) error {
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	if s == nil {
		if err := r.checkTexts(ctx); err != nil {
			return err
		}
		name, now := r.Key.Sealing(), r.Now()
		if err := r.DB.Write(ctx, func(tx *db.Tx) error { return insertFirst(tx, name, now) }); err != nil {
			return err
		}
	}
	return Follow(ctx, r.DB, r.Key) // another process might have been the first
}

// Check checks whether the key is the deployment's, and changes nothing.
//
// Errors: [seal.WrongKeyError].
func (r *Rotation) Check(ctx context.Context) error {
	s, err := r.State(ctx)
	switch {
	case err != nil:
		return err
	case s == nil:
		return r.checkTexts(ctx)
	case !slices.Contains(r.Key.Names(), s.Sealing):
		return &seal.WrongKeyError{Configured: r.Key.Name(), Used: s.Sealing}
	}
	return nil
}

const sampleRows = 20 // of each place, if the name of the key is not known

// checkTexts refuses a key that opens none of the texts in the database. It is for databases from before the name was
// stored.
func (r *Rotation) checkTexts(ctx context.Context) error {
	sealed := false
	for _, p := range r.all() {
		p.Size = sampleRows
		rows, err := p.rows(r.DB.Read(ctx), "")
		if err != nil {
			return err
		}
		box := r.Key.Box(p.Purpose)
		for i := range rows {
			text := p.text(&rows[i])
			if text == "" {
				continue
			}
			if _, err := box.Open(text, rows[i].about(&p)); err == nil {
				return nil
			}
			sealed = true
		}
	}
	if sealed {
		return &seal.WrongKeyError{Configured: r.Key.Name()}
	}
	return nil
}
