// Package closing finishes what closing an account has begun (messaging/account): it cancels what still waits, and erases
// the account's data when an operator cannot reopen it any more.
package closing
