// Package otp issues one-time codes and verifies them.
//
// [Service.Issue] first counts the request, in a transaction of its own, so that a
// request that is then refused has counted too. Then the challenge is stored in
// the transaction that accepts its message. The code is kept as an HMAC under a
// key derived from the master key; in clear it is only in the message, which is
// sensitive: sealed until it is handed over, then erased.
//
// [Service.Verify] counts a guess by one conditional UPDATE before it compares, so
// that of concurrent guesses five are compared, and of right ones one is accepted.
// A challenge whose message ended before it was handed to a gateway is void. That is
// read from the message's row, so the two cannot disagree after a crash.
//
// [Limits] guard against pumping: codes requested in bulk for numbers whose operator
// pays for the traffic. There are hourly caps for a country and for a prefix of
// numbers, first of each account and then of all; and codes of an account to a prefix
// are blocked for a time when too few of them are verified.
package otp
