// Package api is the messaging service's HTTP surface: document 2's endpoints, in
// the order of its table, one file per group. HTTP words stay here; what the
// endpoints do is done by the packages beside it.
package api
