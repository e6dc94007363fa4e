// Package profile keeps the addresses and keys of services under names, each in a file of its own in the user's
// configuration folder, which only the user can read.
package profile
