// Package person identifies people about whom an account has data: by a number or an email address, and by the
// pseudonym that replaces it after they are erased.
//
// A pseudonym is a keyed hash. It reveals no address, and is always the same for a person. Therefore, data that is
// kept in the person's interest, such as an opt-out, stays in effect, and counts of messages do not change.
package person
