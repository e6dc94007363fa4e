// Package relyingparties pins programs and libraries in Go, written by others, that sign people in with OpenID Connect.
// test/system/clients builds them, and a program of docs/connect-programs.md with the library, and signs people in through Griot.
//
// It is a module of its own because of what they depend on. Each directory is the module of one more program, because
// the versions that the programs depend on exclude each other. The modules have no code.
package relyingparties

import (
	_ "github.com/zitadel/oidc/v3/pkg/client/rp" // for the program in docs/connect-programs.md
)
