// Package closing completes the closing of accounts (messaging/account). It cancels queued messages, and erases an
// account's data when an operator can no longer reopen the account.
package closing
