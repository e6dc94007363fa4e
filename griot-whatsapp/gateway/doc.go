// Package gateway implements the gateway that Griot calls. It runs the paired numbers, each under a lease, handles
// the signed requests, and sends events to Griot.
package gateway
