package route

import (
	"griot/gateway"
	"griot/internal/fault"
	"griot/messaging/account"
)

// Pick returns the sender for a channel: the one that was asked for, or else the
// first of the account's that is usable, or else the platform's.
//
// Errors: sender_not_found when senderID names none of the account's senders on
// the channel; gateway_not_connected when no sender is usable.
func Pick(senders []account.Sender, channel gateway.Channel, senderID string, usable func(account.Sender) bool) (account.Sender, error) {
	for _, s := range senders {
		if s.Channel != channel || (senderID != "" && s.ID != senderID) {
			continue
		}
		if usable(s) {
			return s, nil
		}
		if senderID != "" {
			return account.Sender{}, fault.GatewayNotConnected.On("senderId")
		}
	}
	if senderID != "" {
		return account.Sender{}, fault.SenderNotFound.On("senderId")
	}
	return account.Sender{}, fault.GatewayNotConnected.Err()
}
