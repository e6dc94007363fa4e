package outbox

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// A column is a column of messages that a transition writes.
type column struct {
	name  string
	kind  byte   // for [newColumns]: 't' text, 'i' integer
	null  string // the value that represents NULL in an array of PostgreSQL; empty: the column is never NULL
	set   string // the stored expression, with %s for the value; empty: the value
	value func(t *Transition) any
}

// stateColumns are the columns that each transition writes. The value of content reports whether the content is
// erased.
var stateColumns = []column{
	{name: "content", kind: 'i', set: `CASE WHEN %s = 1 AND m.sensitive = 1 THEN '{}' ELSE m.content END`, value: func(t *Transition) any { return db.Flag(t.EraseContent) }},
	{name: "status", kind: 't', value: func(t *Transition) any { return string(t.Message.Status) }},
	{name: "rank", kind: 'i', value: func(t *Transition) any { return t.Message.Status.Rank() }},
	{name: "due_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.DueAt) }},
	{name: "unknown_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.UnknownAt) }},
	{name: "provider_id", kind: 't', null: "''", value: func(t *Transition) any { return db.Null(t.Message.ProviderID) }},
	{name: "pricing", kind: 't', null: "''", value: func(t *Transition) any { return db.Null(string(t.Message.Price)) }},
	{name: "failure", kind: 't', null: "''", value: func(t *Transition) any { return db.Null(t.Message.StoredFailure()) }},
	{name: "timeline", kind: 't', set: `m.timeline || %s`, value: func(t *Transition) any { return t.timelineText() }},
	{name: "calls", kind: 'i', value: func(t *Transition) any { return t.Message.Calls }},
	{name: "tries", kind: 'i', value: func(t *Transition) any { return t.Message.Tries }},
	{name: "sent_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.SentAt) }},
	{name: "delivered_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.DeliveredAt) }},
	{name: "read_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.ReadAt) }},
	{name: "failed_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.FailedAt) }},
	{name: "canceled_at", kind: 'i', null: "0", value: func(t *Transition) any { return db.NullMs(t.Message.CanceledAt) }},
	{name: "handed_over", kind: 'i', null: "0", value: func(t *Transition) any { return handedOverFlag(t.Message) }},
}

// routeColumns are the columns that a transition to another route writes in addition.
var routeColumns = []column{
	{name: "channel", value: func(t *Transition) any { return string(t.Message.Channel) }},
	{name: "sender_id", value: func(t *Transition) any { return t.Message.SenderID }},
	{name: "from_address", value: func(t *Transition) any { return t.Message.From }},
	{name: "gateway", value: func(t *Transition) any { return t.Message.Gateway }},
	{name: "address", value: func(t *Transition) any { return t.Message.Address }},
	{name: "order_key", value: func(t *Transition) any { return t.Message.OrderKey() }},
	{name: "route_index", value: func(t *Transition) any { return t.Message.RouteIndex }},
	{name: "tried_routes", value: func(t *Transition) any { return db.Null(t.Message.StoredTried()) }},
}

// The statements that write the rows of transitions: for one message, and on PostgreSQL for many that stay on their routes.
var (
	updateSameRoute    = updateOne(stateColumns)
	updateNewRoute     = updateOne(append(stateColumns[:len(stateColumns):len(stateColumns)], routeColumns...))
	updateSameRouteAll = updateMany(stateColumns)
	sameRouteKinds     = manyKinds(stateColumns)
)

// updateOne returns the statement whose arguments are the values of the list's columns, the message's ID, and its version.
func updateOne(list []column) string {
	n := len(list)
	return fmt.Sprintf(`UPDATE messages AS m SET %s WHERE id = $%d AND version = $%d`, setList(list, func(i int) string { return "$" + strconv.Itoa(i+1) }), n+1, n+2)
}

// updateMany returns the statement whose arguments are arrays: of the rows' numbers, the values of the list's
// columns, the messages' IDs and their versions, and the changes of counters, which it writes to their log. It
// returns the numbers of the rows that it has written.
func updateMany(list []column) string {
	arrays, names := []string{"$1::bigint[]"}, "ord"
	for i, c := range append(list[:len(list):len(list)], column{name: "id", kind: 't'}, column{name: "version", kind: 'i'}, column{name: "deltas", kind: 't'}) {
		of := map[byte]string{'t': "text", 'i': "bigint"}[c.kind]
		arrays, names = append(arrays, fmt.Sprintf("$%d::%s[]", i+2, of)), names+", "+c.name
	}
	set := setList(list, func(i int) string {
		if c := list[i]; c.null != "" {
			return "NULLIF(v." + c.name + ", " + c.null + ")"
		}
		return "v." + list[i].name
	})
	return `WITH written AS (UPDATE messages AS m SET ` + set + ` FROM unnest(` + strings.Join(arrays, ", ") + `) AS v (` + names + `) WHERE m.id = v.id AND m.version = v.version RETURNING v.ord, v.deltas),
 logged AS (INSERT INTO message_count_log (deltas) SELECT string_agg(deltas, '') FROM written HAVING string_agg(deltas, '') <> '') SELECT ord FROM written`
}

// manyKinds returns the kinds of updateMany's arrays for [newColumns].
func manyKinds(list []column) string {
	kinds := "i"
	for _, c := range list {
		kinds += string(c.kind)
	}
	return kinds + "tit"
}

// setList returns the assignments to the list's columns and to the version. value returns the value of the i-th column.
func setList(list []column, value func(i int) string) string {
	var out []string
	for i, c := range list {
		set := c.set
		if set == "" {
			set = "%s"
		}
		out = append(out, c.name+" = "+fmt.Sprintf(set, value(i)))
	}
	return strings.Join(append(out, "version = m.version + 1"), ", ")
}

// values returns the values of the list's columns.
func (t *Transition) values(list []column) []any {
	args := make([]any, 0, len(list)+len(routeColumns)+3) // with capacity for the appended values
	for i := range list {
		args = append(args, list[i].value(t))
	}
	return args
}

func handedOverFlag(m *message.Message) any {
	if m.HandedOver() {
		return 1
	}
	return nil
}
