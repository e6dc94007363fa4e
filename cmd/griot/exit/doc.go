// Package exit has the errors that end griot with an exit code of their own, and how main prints them. docs/cli.md explains
// the codes.
package exit
