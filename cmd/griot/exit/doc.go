// Package exit has the errors that end griot with their own exit codes, and prints them for main. docs/cli.md explains
// the codes.
package exit
