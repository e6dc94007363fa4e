package outbox

import "example.com/griot/internal/db"

// Import stores messages of the past in the caller's transaction, as [Store.Accept] stores those of now: all as QUEUED or
// SCHEDULED, in their order. What became of them is stored by [Store.ImportTransition].
func (s *Store) Import(tx *db.Tx, items []*Acceptance) error {
	var r rows = postgresRows{tx}
	if s.node.single {
		r = sqliteRows{tx}
	}
	none := func(*db.Tx, *bool) error { return nil } // nothing begins, so no lease is needed
	return acceptAll(tx, r, []*acceptOp{{items: items}}, s.sweptKeys, none)
}

// ImportTransition stores what became of a message of [Store.Import].
func (s *Store) ImportTransition(tx *db.Tx, t *Transition) error {
	var applied Applied
	_, err := t.write(tx, &applied)
	return err
}
