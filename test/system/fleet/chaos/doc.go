// Package chaos runs several nodes of the real program over one PostgreSQL, with clients, gateways, and an endpoint for
// webhooks. It injects faults into the nodes and the database while they work, and returns the observed events as a
// [history.History]. A seed determines the load and the faults, but not their timing relative to each other.
package chaos
