package delivery

import (
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// Erase replaces the personal data of the recipient in a message of the account. If the message is still waiting,
// Erase ends it first. done is false while the message is being submitted to a gateway; call Erase again later.
// alsoStore is called in the transaction with the ended message. A message that is already erased is unchanged.
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
		case m == nil: // the message has changed
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
