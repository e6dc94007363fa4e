// Package pairing links numbers to phones: [Pairer] one at a time, for the terminal too, and [Set] many side by side, for
// Griot. A number is paired under its lease, so that nobody connects it meanwhile.
package pairing
