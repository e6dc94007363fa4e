// Package inbox keeps what people write to an account's numbers, and shows it to
// the account's owner as conversations.
//
// A message from a person is stored once, for the account whose number it was sent
// to. On WhatsApp it belongs to the conversation with that person; texts that the
// account sends to somebody with whom it has a conversation appear in it too, because
// messaging/outbox calls [Join] and [Touch] in its own transactions.
//
// Each account has a row that counts its visible changes. Every change locks that
// row first and adds to it, so that a change and its revision are one, and two
// changes of an account never cross. A send that is in no conversation never
// touches the row: it costs one lookup.
//
// After 30 days a message goes, and a conversation with its last one. That too is a
// visible change, which is why reading does not hide what the purge has yet to take.
package inbox
