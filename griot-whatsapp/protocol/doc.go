// Package protocol is Griot's signed gateway protocol (docs/gateway-protocol.md), as far as this gateway speaks it.
package protocol
