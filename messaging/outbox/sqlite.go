package outbox

import (
	"context"

	"griot/internal/db"
)

// sqlite writes on the engine whose one writer carries the closures of many callers in one commit.
type sqlite struct{ s *Store }

func (w *sqlite) accept(ctx context.Context, items []*Acceptance, stop bool) error {
	return w.s.db.Write(ctx, func(tx *db.Tx) error { return acceptEach(tx, items, stop) })
}

// acceptEach stores acceptances one by one.
func acceptEach(tx *db.Tx, items []*Acceptance, stop bool) error {
	for i, a := range items {
		if err := a.store(tx); err != nil {
			return err
		}
		if stop && a.Refusal != Stored && a.Refusal != KeyTaken {
			for _, rest := range items[i+1:] {
				rest.Refusal = Skipped
			}
			return nil
		}
	}
	return nil
}

func (w *sqlite) begin(ctx context.Context, b *beginning) error {
	return w.s.db.Write(ctx, b.run)
}

func (w *sqlite) apply(ctx context.Context, t *Transition) (done Applied, err error) {
	err = w.s.db.Write(ctx, func(tx *db.Tx) (err error) {
		done = Applied{}
		done.Done, err = t.write(tx, &done)
		return err
	})
	return done, err
}
