package optout

import (
	"time"

	"griot/gateway"
	"griot/internal/db"
)

// ApplyKeyword adds or removes an opt-out if a person's message is STOP or START. It
// reports whether anything has changed; then account.Directory.Forget must be called.
func ApplyKeyword(tx *db.Tx, accountID string, in *gateway.Inbound, at time.Time) (changed bool, err error) {
	switch ParseKeyword(in.Text) {
	case Stop:
		return Add(tx, accountID, in.Channel, in.From, Requested, at)
	case Start:
		return Remove(tx, accountID, in.Channel, in.From)
	case NoKeyword:
	}
	return false, nil
}
