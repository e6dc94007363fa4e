package outbox

import (
	"example.com/griot/internal/db"
	"example.com/griot/messaging/counts"
)

// Import stores messages of the past in the caller's transaction, as [Store.Accept] stores those of now: all as QUEUED or
// SCHEDULED, in their order. What became of them is stored by [Store.ImportTransition].
//
// [Store.Accept] and [Store.Apply] can't replace the two: each commits on its own, and between the two commits a worker
// reads the QUEUED message and sends it.
func (s *Store) Import(tx *db.Tx, items []*Acceptance) error {
	var r rows = postgresRows{tx}
	if s.node.single {
		r = sqliteRows{tx}
	}
	var log counts.Log
	if err := s.acceptAll(tx, r, []*acceptOp{{items: items}}, &log); err != nil { // nothing begins, so no lease is needed
		return err
	}
	return log.Write(tx)
}

// ImportTransition stores what became of a message of [Store.Import].
func (s *Store) ImportTransition(tx *db.Tx, t *Transition) error {
	_, err := t.writeAlone(tx, s.signal)
	return err
}
