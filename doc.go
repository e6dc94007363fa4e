// Package griot is the root of Griot: login by message, and messages that are never lost nor sent twice.
//
// It holds no code. The program is cmd/griot; auth and messaging are its two services, gateway is what both use,
// internal is the ground they share. ARCHITECTURE.md shows the way in, and arch_test.go keeps the map true.
package griot
