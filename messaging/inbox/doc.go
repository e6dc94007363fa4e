// Package inbox stores the messages that people write to an account's numbers, and lists them as conversations for
// the account's owner.
//
// A message from a person is stored once, for the account whose number received it. On WhatsApp, it belongs to the
// conversation with that person. The conversation also shows texts that the account sends to the person:
// messaging/outbox calls [AddToConversation] and [CountChange] in its own transactions.
//
// Each account has a row that counts its visible changes. Every change locks that row first and increments it, so
// that the changes of an account are serialized, each with its own revision. A message that is in no conversation
// does not lock the row. It costs one lookup.
//
// A message is deleted after 30 days, and a conversation is deleted with its last message. The deletion is also a
// visible change, so lists show old messages until the purge has deleted them. If the account's plan does not include
// the inbox, the inbox is hidden. It still receives messages, and is emptied after 30 days.
package inbox
