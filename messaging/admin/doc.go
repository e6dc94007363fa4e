// Package admin is what an operator may ask of the messaging house, as a table of
// verbs that internal/admin carries.
package admin
