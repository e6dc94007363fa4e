// Package identity stores which phone number belongs to which WhatsApp ID.
//
// WhatsApp hides the number of people with a username, and then reports only an ID. A pair of a number and an ID is
// learned from every report that has both, is known to all numbers of the ID's portfolio, and says for an ID without a
// number whose it is. A pair is used only while nothing contradicts it: an ID with two numbers identifies nobody, a
// number that was seen with a newer ID no longer belongs to the older one, and the pair of a LID, which outlives the
// number, must have been confirmed within 30 days. Names, usernames, and contact cards make no pair.
//
// decide.go decides, and store.go reads and writes. Nothing is merged here: what a pair means for the data of an account
// or of a tenant is up to their services, which [Options.Withdrawn] notifies in the same transaction.
package identity
