package optout

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// ApplyKeyword adds or removes an opt-out if a person's message is STOP or START. It
// reports whether anything has changed; then account.Directory.Forget must be called.
// The START of somebody who was erased removes the opt-out that was kept under their pseudonym.
func ApplyKeyword(tx *db.Tx, accountID, pseudonym string, in *gateway.Inbound, at time.Time) (changed bool, err error) {
	switch ParseKeyword(in.Text) {
	case Stop:
		return Add(tx, accountID, in.Channel, in.From, Requested, at)
	case Start:
		if changed, err = Remove(tx, accountID, in.Channel, in.From); err != nil {
			return false, err
		}
		kept, err := Remove(tx, accountID, in.Channel, pseudonym)
		return changed || kept, err
	case NoKeyword:
	}
	return false, nil
}
