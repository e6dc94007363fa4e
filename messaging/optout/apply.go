package optout

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// ApplyKeyword adds or removes an opt-out if a person's message is a keyword such as STOP or START, or if the provider's
// own list has changed because of it, whatever its text. A message of a local sender changes nothing. It reports whether anything has changed. In that case, call
// account.Directory.Forget. The START of an erased person removes the opt-out that was kept under their pseudonym.
//
// Providers repeat calls for days, so messages can arrive in another order than they were written. The message with
// the later time is used. If a STOP and a START have the same time, the STOP is used. A START does not undo an
// opt-out that was stored after the START was written, because a user of the account might have added it. in.At must
// not be in the future.
func ApplyKeyword(tx *db.Tx, accountID, pseudonym string, in *gateway.Inbound) (changed bool, err error) {
	if in.Local != "" {
		return false, nil // it isn't certain who has written it
	}
	word := keywordOf(in)
	if word == Agree {
		asked, err := hasRequested(&tx.Query, accountID, in.Channel, in.Address(), pseudonym)
		if err != nil || !asked {
			return false, err
		}
	}
	if word == NoKeyword {
		return false, nil
	}
	return apply(tx, accountID, in.Channel, in.Address(), pseudonym, word == Stop, in.At)
}

// keywordOf returns what a message asks for. The provider's list decides before the text. Names of places and contacts
// are no keywords.
func keywordOf(in *gateway.Inbound) Keyword {
	switch in.OptOut {
	case gateway.OptOutStopped:
		return Stop
	case gateway.OptOutStarted:
		return Start
	}
	if in.Type == gateway.InboundLocation || in.Type == gateway.InboundContacts || in.Type == gateway.InboundReaction {
		return NoKeyword
	}
	return ParseKeyword(in.Channel, in.Text)
}

// hasRequested reports whether a person has opted out of a channel in their own words or at the provider.
func hasRequested(q *db.Query, accountID string, channel gateway.Channel, addresses ...string) (bool, error) {
	for _, address := range addresses {
		o := &OptOut{Channel: channel, Address: address}
		found, err := Find(q, accountID, o)
		if err != nil || found && (o.Reason == Requested || o.Reason == Refused) {
			return err == nil, err
		}
	}
	return false, nil
}

// clockPrecision is the precision of the times that providers report.
const clockPrecision = time.Second

// AddRefused stores the opt-out of a person to whom a provider has refused a message that it was called with at a time.
// It stores nothing if the person has requested something at that time or later, because the provider's list can have
// changed since. Otherwise, it is like [Add]. An earlier request that arrives later doesn't undo the opt-out.
func AddRefused(tx *db.Tx, accountID string, channel gateway.Channel, address string, called time.Time) (bool, error) {
	at := called.Add(-clockPrecision)
	last, err := noteKeyword(tx, accountID, channel, address, true, at)
	if err != nil || !last {
		return false, err
	}
	return Add(tx, accountID, channel, address, Refused, at)
}

// AddReported stores an opt-out that a provider has reported about a message. It reports whether it is new.
func AddReported(tx *db.Tx, accountID string, o *OptOut) (bool, error) {
	if o.Reason == Refused {
		return AddRefused(tx, accountID, o.Channel, o.Address, o.At)
	}
	return Add(tx, accountID, o.Channel, o.Address, o.Reason, o.At)
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
	before := at.Add(clockPrecision)
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
