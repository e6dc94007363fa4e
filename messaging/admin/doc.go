// Package admin is what an operator may ask of the messaging service: a table of verbs
// over plans, accounts, API keys, projects, members, senders, one-time codes and
// webhooks, and the shapes of their results.
//
// It decides nothing: what may be is decided by the nouns. A verb runs in a server,
// on the directory with which that server works, or on the database of a stopped
// one; there e-mails cannot be sent, and an invitation's link is shown instead.
package admin
