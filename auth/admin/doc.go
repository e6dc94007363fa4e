// Package admin is what an operator may ask of the auth service: a table of verbs
// over tenants, clients, invitations, events and signing keys, and the shapes of
// their results.
//
// It decides nothing: what may be is decided by the nouns. A verb runs in a server,
// on the store with which that server works, or on the database of a stopped one.
package admin
