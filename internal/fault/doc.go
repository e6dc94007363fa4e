// Package fault is the catalog of everything that can go wrong for a caller:
// one line per condition, with its stable code, its HTTP status, what happened,
// and what to do. Handlers return a line of it; each service has one writer that
// turns it into its own error body. docs/errors.md is made from it.
//
//go:generate go run ./gendocs
package fault
