// Package behaviour holds every client of Griot to one list of behaviors, cases.json: what it sends, how often it tries and
// how long it waits, and what it makes of each answer. README.md says what a case is, and how a client joins.
package behaviour
