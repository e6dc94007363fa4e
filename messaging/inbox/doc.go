// Package inbox stores the messages that people write to an account's numbers, and lists
// them as conversations for the account's owner.
//
// A message from a person is stored once, for the account whose number it was sent
// to. On WhatsApp it belongs to the conversation with that person. Texts that the account
// sends to the person are shown in the conversation too: messaging/outbox calls
// [AddToConversation] and [CountChange] in its own transactions.
//
// Each account has a row that counts its visible changes. Every change locks that
// row first and adds one, so that the changes of an account are serialized, each with
// its own revision. A message that is in no conversation doesn't lock the row; it costs
// one lookup.
//
// A message is deleted after 30 days, and a conversation with its last message. That is
// a visible change too, so lists show old messages until the purge has deleted them. The inbox
// of an account whose plan does not have it is hidden, filled as before, and emptied after 30 days.
package inbox
