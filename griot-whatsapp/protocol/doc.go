// Package protocol implements the parts of Griot's signed gateway protocol (docs/gateway-protocol.md) that this gateway uses.
package protocol
