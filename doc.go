// Package griot is the root of Griot: login by message, and messages that are never lost nor sent twice.
//
// It holds no code. The program is cmd/griot; auth and messaging are its two services, gateway is what both use, and
// internal is shared by all. ARCHITECTURE.md describes the packages, and arch_test.go checks their imports and names.
package griot
