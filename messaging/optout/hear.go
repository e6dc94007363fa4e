package optout

import (
	"time"

	"griot/gateway"
	"griot/internal/db"
)

// Hear does what a person's message asks for, if it says STOP or START. It reports
// whether anything has changed; the account must then be read again (see account.Directory.Forget).
func Hear(tx *db.Tx, accountID string, in *gateway.Inbound, at time.Time) (changed bool, err error) {
	switch Read(in.Text) {
	case Stop:
		return Note(tx, accountID, in.Channel, in.From, Said, at)
	case Start:
		return Undo(tx, accountID, in.Channel, in.From)
	case Nothing:
	}
	return false, nil
}
