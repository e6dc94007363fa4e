package delivery

import (
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// Erase replaces what a message of the account says of its recipient, and ends it before if it still waits. done is
// false while a gateway is being called with it: then it is asked for again. alsoStore is called in the transaction with
// the message as it ended. A message that is erased already stays as it is.
func (s *Service) Erase(ctx context.Context, a *account.Account, messageID, pseudonym string, alsoStore func(*db.Tx, *message.Message) error) (done bool, err error) {
	for {
		m, err := s.outbox.Find(ctx, messageID)
		if err != nil || m == nil || m.AccountID != a.ID || m.Erased() {
			return err == nil, err
		}
		m, _, err = s.settleOnce(ctx, a, m, &event{kind: erase})
		switch {
		case err != nil:
			return false, err
		case m == nil: // it has changed
			continue
		case m.Status == message.Sending:
			return false, nil
		}
		erased, err := s.outbox.Erase(ctx, m, pseudonym, func(tx *db.Tx) error { return alsoStore(tx, m) })
		if erased || err != nil {
			return erased, err
		}
	}
}
