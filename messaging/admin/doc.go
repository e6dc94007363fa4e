// Package admin has the operator's commands of the messaging service: a table of verbs
// for plans, accounts, API keys, projects, members, senders, one-time codes, and
// webhooks, with the types of their inputs and results.
//
// The rules are those of the packages that the verbs call. A verb runs in a server, with
// the server's directory, or on the database of a stopped one; then no emails can be
// sent, and an invitation's link is shown instead.
package admin
