// Package id creates the identifiers of both services and the random strings that must
// not be guessed.
//
// An ID26 is 26 characters of Crockford's base32. [New] creates ordered ones (ULIDs),
// which are good primary keys. [Random] creates unguessable ones with 130 random bits.
package id
