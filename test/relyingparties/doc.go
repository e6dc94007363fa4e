// Package relyingparties pins programs in Go, written by others, that sign people in with OpenID Connect.
// test/system/clients builds them and signs people in to them through Griot.
//
// It is a module of its own because of what the programs depend on.
package relyingparties
