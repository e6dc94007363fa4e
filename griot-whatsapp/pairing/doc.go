// Package pairing links numbers to phones. A [Pairer] links one number at a time, also from the terminal. A [Set]
// runs many pairings at the same time for Griot. A number is paired under its lease, so that no other process
// connects it in the meantime.
package pairing
