// Package profile stores the addresses and keys of services under names. Each profile is a separate file in the
// user's configuration directory that only the user can read.
package profile
