package inbox

import (
	"context"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/messaging/account"
)

// NumberFor returns our number that a message without one was sent to, as far as its gateway decides it. It is "" if
// it could belong to another account. receivers are the numbers at the gateway to which people send logins, in E.164
// digits.
func (b *Inbox) NumberFor(ctx context.Context, gatewayName string, channel gateway.Channel, receivers []string) (string, error) {
	all, err := b.o.Directory.EverySender(ctx)
	if err != nil {
		return "", err
	}
	own := slices.DeleteFunc(all, func(s account.Sender) bool { return s.Gateway != gatewayName || s.Channel != channel })
	return onlyNumber(own, receivers), nil
}

// onlyNumber returns the only number, or the first sender of the only account. A message is never given to one of
// several accounts, because its content could then be shown to the wrong people.
func onlyNumber(senders []account.Sender, receivers []string) string {
	numbers := slices.Clone(receivers)
	for _, s := range senders {
		numbers = append(numbers, s.Address)
	}
	slices.Sort(numbers)
	if numbers = slices.Compact(numbers); len(numbers) == 1 {
		return numbers[0]
	}
	if len(receivers) > 0 || len(senders) == 0 {
		return ""
	}
	first := senders[0]
	for _, s := range senders {
		if s.AccountID != first.AccountID {
			return ""
		}
		if s.Position < first.Position {
			first = s
		}
	}
	return first.Address
}
