// Package person names people whose data an account has: by a number or an email address, and by the pseudonym that
// stands in its place once they are erased.
//
// A pseudonym is a keyed hash. It shows nobody's address, and is the same each time, so that what was kept for the
// person's sake (that they want no more messages) still holds, and counts of messages stay what they were.
package person
