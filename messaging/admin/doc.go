// Package admin is what an operator may ask of the messaging house: tables of verbs
// and the shapes of their results. It decides nothing: what may be is decided by
// the packages below.
package admin
