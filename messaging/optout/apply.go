package optout

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// ApplyKeyword adds or removes an opt-out if a person's message is STOP or START. It reports whether anything has
// changed. In that case, call account.Directory.Forget. The START of an erased person removes the opt-out that was
// kept under their pseudonym.
//
// Providers repeat calls for days, so messages can arrive in another order than they were written. The message with
// the later time is used. If a STOP and a START have the same time, the STOP is used. A START does not undo an
// opt-out that was stored after the START was written, because a user of the account might have added it. in.At must
// not be in the future.
func ApplyKeyword(tx *db.Tx, accountID, pseudonym string, in *gateway.Inbound) (changed bool, err error) {
	word := ParseKeyword(in.Text)
	if word == NoKeyword {
		return false, nil
	}
	return apply(tx, accountID, in.Channel, in.Address(), pseudonym, word == Stop, in.At)
}

// ApplyMarketing stores that a person wants no marketing messages on WhatsApp, or that they want them again. Otherwise,
// it is like [ApplyKeyword]. The address is the person's number, or the WhatsApp ID if the number is unknown.
func ApplyMarketing(tx *db.Tx, accountID, address, pseudonym string, stop bool, at time.Time) (changed bool, err error) {
	return apply(tx, accountID, Marketing, address, pseudonym, stop, at)
}

// apply adds or removes an opt-out at a person's request, unless the person has made a later one.
func apply(tx *db.Tx, accountID string, channel gateway.Channel, address, pseudonym string, stop bool, at time.Time) (changed bool, err error) {
	last, err := noteKeyword(tx, accountID, channel, address, stop, at)
	if err != nil || !last {
		return false, err
	}
	if stop {
		return Add(tx, accountID, channel, address, Requested, at)
	}
	before := at.Add(time.Second) // providers report whole seconds
	if changed, err = removeBefore(tx, accountID, channel, address, before); err != nil {
		return false, err
	}
	kept, err := removeBefore(tx, accountID, channel, pseudonym, before)
	return changed || kept, err
}

// noteKeyword stores the time of a person's request. It reports whether it is the person's last on the channel. For a
// stop, this is also true if another one was made at the same time.
func noteKeyword(tx *db.Tx, accountID string, channel gateway.Channel, address string, stop bool, when time.Time) (last bool, err error) {
	who, err := person.Find(&tx.Query, accountID, address)
	if err != nil {
		return false, err
	}
	at := db.Ms(when)
	n, err := tx.Exec(`INSERT INTO opt_out_keywords (account_id, channel, person, at) VALUES ($1, $2, $3, $4)
 ON CONFLICT (account_id, channel, person) DO UPDATE SET at = excluded.at WHERE opt_out_keywords.at < CAST($5 AS BIGINT)`, accountID, string(channel), who, at, at+db.Flag(stop))
	return n == 1, err
}

// PurgeKeywords deletes the times of up to n keywords that were written before a time, and returns the number of deleted ones.
func PurgeKeywords(tx *db.Tx, before time.Time, n int) (int64, error) {
	return tx.Exec(`DELETE FROM opt_out_keywords WHERE (account_id, channel, person) IN (SELECT account_id, channel, person FROM opt_out_keywords WHERE at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT))`, db.Ms(before), n)
}
