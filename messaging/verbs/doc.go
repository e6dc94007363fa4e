// Package verbs contains the operator's commands of the messaging service: a table of verbs for plans, accounts, API
// keys, projects, members, senders, one-time codes, and webhooks, with the types of their inputs and results.
//
// The called packages enforce the rules. A verb runs in a server, with the server's directory, or on the database of
// a stopped server. In the second case, it cannot send emails, and it shows an invitation's link instead.
package verbs
