// Package outbound refuses what of a message needs no gateway to be refused, with
// the same codes for all drivers.
package outbound
