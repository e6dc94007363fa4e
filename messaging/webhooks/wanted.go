package webhooks

import (
	"time"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// Wanted reports whether an account's events are needed, because it is open and has an endpoint or a listener.
func Wanted(a *account.Account, now time.Time) bool {
	return !a.Closed() && (a.WebhookURL != "" || now.Before(a.ListenUntil))
}

// StatusWanted reports whether the event of a message that changes to the status to is needed. Accounts can disable read receipts.
func StatusWanted(a *account.Account, to message.Status, now time.Time) bool {
	return Wanted(a, now) && (to != message.Read || !a.MutesReads)
}
