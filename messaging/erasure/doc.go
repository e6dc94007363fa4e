// Package erasure exports and erases an account's data about a person.
//
// An erasure is a row with a step and a position. Each step does a limited amount of work that can be repeated, and
// the position is written after it. Therefore, if a process dies, any process can continue the erasure. A pseudonym
// replaces the person's address ([person.Key]), so that counts do not change, and people who have replied STOP get no
// messages.
package erasure
