// Package api is the messaging service's HTTP surface: its endpoints, one file per
// group. HTTP words stay here; what the endpoints do is done by the packages beside it.
package api
