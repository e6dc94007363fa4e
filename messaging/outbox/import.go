package outbox

import (
	"example.com/griot/internal/db"
	"example.com/griot/messaging/counts"
)

// Import stores past messages in the caller's transaction, like [Store.Accept] for current ones: all as QUEUED or
// SCHEDULED, in their order. [Store.ImportTransition] stores their later states.
//
// [Store.Accept] and [Store.Apply] cannot replace the two functions, because each commits on its own, and between the
// two commits a worker would read the QUEUED message and send it.
func (s *Store) Import(tx *db.Tx, items []*Acceptance) error {
	var r rows = postgresRows{tx}
	if s.node.single {
		r = sqliteRows{tx}
	}
	var log counts.Log
	if err := s.acceptAll(tx, r, []*acceptOp{{items: items}}, &log); err != nil { // no submission starts, so no lease is needed
		return err
	}
	return log.Write(tx)
}

// ImportTransition stores the later state of a message of [Store.Import].
func (s *Store) ImportTransition(tx *db.Tx, t *Transition) error {
	_, err := t.writeAlone(tx, s)
	return err
}
