// Package gateway is the gateway that Griot talks to: it holds the paired numbers, each under a lease, answers the signed
// requests, and brings events.
package gateway
