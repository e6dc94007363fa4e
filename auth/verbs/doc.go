// Package verbs provides the operator's commands of the auth service: a table of verbs
// for tenants, clients, invitations, events and signing keys, with the types of their
// inputs and results.
//
// The packages tenant, token, and webhook contain the rules. A verb runs in a
// running server, with its store, or on the database of a stopped one.
package verbs
