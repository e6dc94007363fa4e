package optout

import (
	"database/sql"
	"fmt"
	"math"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// A Reason is the reason for an opt-out.
type Reason string

// The reasons.
const (
	Requested  Reason = "said"       // the person replied STOP or unsubscribed
	Refused    Reason = "provider"   // the provider has refused a message, because the person opted out there
	Bounced    Reason = "bounced"    // the mailbox does not exist
	Complained Reason = "complained" // the mail was marked as spam
	Added      Reason = "added"      // by a user of the account
)

// Marketing is the channel of opt-outs from marketing messages on WhatsApp, which leave all other messages allowed.
// Only this package, the statements of opt-outs, and the IDs of opt-outs have it. It is no channel of messages.
const Marketing gateway.Channel = "whatsapp_marketing"

// ScopeMarketing is the scope of an opt-out from marketing messages only.
const ScopeMarketing = "marketing"

// Scope returns the channel of messages that an opt-out is about, and [ScopeMarketing] if it is only about marketing
// messages, otherwise "".
func Scope(channel gateway.Channel) (of gateway.Channel, scope string) {
	if channel == Marketing {
		return gateway.WhatsApp, ScopeMarketing
	}
	return channel, ""
}

// Add stores the opt-out of an address on a channel. It reports whether it is new.
func Add(tx *db.Tx, accountID string, channel gateway.Channel, address string, why Reason, at time.Time) (bool, error) {
	who, err := person.Find(&tx.Query, accountID, address)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO opt_outs (account_id, channel, person, address, reason, at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account_id, channel, person) DO NOTHING`,
		accountID, string(channel), who, address, string(why), db.Ms(at))
	return n == 1, err
}

// ofPerson is the condition for a person's opt-out, by any of the person's addresses.
var ofPerson = `account_id = $1 AND channel = $2 AND person = ` + person.Resolved("$1", "$3")

// Find reads the address, the reason, and the time of an opt-out. It reports whether there is one.
func Find(q *db.Query, accountID string, o *OptOut) (found bool, err error) {
	var at int64
	found, err = q.Row(`SELECT address, reason, at FROM opt_outs WHERE `+ofPerson, accountID, string(o.Channel), person.Form(o.Address)).Scan(&o.Address, (*string)(&o.Reason), &at)
	o.At = db.At(at)
	return found, err
}

// Remove deletes the opt-out of an address on a channel. It reports whether there was one.
func Remove(tx *db.Tx, accountID string, channel gateway.Channel, address string) (bool, error) {
	return removeBefore(tx, accountID, channel, address, time.UnixMilli(math.MaxInt64))
}

// removeBefore is like [Remove], for an opt-out that is older than before.
func removeBefore(tx *db.Tx, accountID string, channel gateway.Channel, address string, before time.Time) (bool, error) {
	n, err := tx.Exec(`DELETE FROM opt_outs WHERE `+ofPerson+` AND at < $4`, accountID, string(channel), person.Form(address), db.Ms(before))
	return n == 1, err
}

// channelsQuery returns the query for those of some channels on which a person has opted out.
func channelsQuery(channels string) string {
	return fmt.Sprintf(`SELECT channel FROM opt_outs WHERE account_id = $1 AND channel IN (%s) AND person IN (%s, %s, %s, %s)`,
		channels, person.Resolved("$1", "$2"), person.Resolved("$1", "$3"), person.Resolved("$1", "$4"), person.Resolved("$1", "$5"))
}

var (
	channelsOf          = channelsQuery(`'whatsapp', 'sms', 'email'`)
	channelsOfMarketing = channelsQuery(`'whatsapp', 'whatsapp_marketing', 'sms', 'email'`)
)

// Channels returns the channels on which a person, who has up to two addresses, has opted out, even if they were erased
// since. Only for a marketing message, [Marketing] can be one of them.
func Channels(q *db.Query, k *person.Key, accountID, address, other string, marketing bool) (map[gateway.Channel]bool, error) {
	text := channelsOf
	if marketing {
		text = channelsOfMarketing
	}
	out := map[gateway.Channel]bool{}
	err := q.Each(func(rows *sql.Rows) error {
		var channel string
		err := rows.Scan(&channel)
		out[gateway.Channel(channel)] = true
		return err
	}, text, accountID, person.Form(address), person.Form(other), k.Pseudonym(accountID, address), k.Pseudonym(accountID, other))
	return out, err
}
