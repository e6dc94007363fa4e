// Package otp issues one-time codes and verifies them.
//
// [Service.Issue] first counts the request, in a separate transaction, so that a request that is then refused is also
// counted. Then the challenge is stored in the transaction that accepts its message. The code is stored as an HMAC
// with a key derived from the master key. Only the message contains the code itself. The message is sensitive: it is
// encrypted until it is submitted, and then erased.
//
// [Service.Verify] counts a guess with one conditional UPDATE before it compares, so that at most five of several
// concurrent guesses are compared, and only one correct guess is accepted. A challenge whose message ended before it
// was submitted to a gateway is void. This is read from the message's row, so the two cannot disagree after a crash.
//
// [Limits] protect against SMS pumping: codes requested in bulk for numbers whose operator earns money from the
// traffic. There are hourly limits for a country and for a prefix of numbers, first for each account and then for
// all. If too few codes of an account to a prefix are verified, further ones are blocked for a time.
package otp
