// Package otp issues one-time codes and verifies them (document 2 §2 to §4, "OTP").
//
// [Service.Issue] first counts the request, in a transaction of its own, so that a
// request that is then refused has counted too. Then the challenge is stored in
// the transaction that accepts its message. The code is kept as an HMAC under a
// key derived from the master key; in clear it is only in the message, which is
// sensitive: sealed until it is handed over, then erased.
//
// [Service.Verify] counts a guess by one conditional UPDATE before it compares, so
// that a stampede of guesses has five judged, and of right ones one accepted.
// A challenge whose message ended before it was handed to a gateway is void: that is
// read from the message, so that no crash can come between the two.
//
// [Limits] guard against pumping: codes asked for in bulk, for numbers whose
// operator pays for the traffic. Caps hold per hour for a country and for a prefix
// of numbers, of all accounts and before that of each; a breaker stops an account's prefix of whose codes hardly any are verified.
package otp
