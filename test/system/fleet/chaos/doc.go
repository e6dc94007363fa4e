// Package chaos runs several nodes of the real program over one PostgreSQL, with clients, gateways, and an endpoint for
// webhooks, does harm to the nodes and the database while they work, and returns what was seen as a [history.History].
// Which load and which faults it chooses follows from a seed; when they meet does not.
package chaos
