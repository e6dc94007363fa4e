// Package id makes the identifiers of both services and the random strings that
// must not be guessed.
//
// An ID26 is 26 characters of Crockford's base32. [New]
// makes ordered ones (ULIDs), which are good primary keys; [Random] makes 130
// random bits for what must not be guessed.
package id
