package erasure

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// Options configure a [Service].
type Options struct {
	DB        *db.DB
	Key       *seal.Key
	Directory *account.Directory
	Delivery  *delivery.Service
	Now       clock.Now
	Log       *slog.Logger
	URL       string                             // the API's base URL
	Keep      time.Duration                      // retention period of the records of erasures; 0: no limit
	Poll      time.Duration                      // interval of checks for erasures; zero: DefaultPoll
	Forget    func(tx *db.Tx, half string) error // deletes the stored pairs of a number or a WhatsApp ID; nil: none are stored
	Failpoint func(name string)                  // for tests: called at each of Failpoints; otherwise nil
}

// DefaultPoll is the default of [Options.Poll].
const DefaultPoll = 2 * time.Second

// A Service exports and erases data. It is safe for concurrent use. [Service.Run] continues started erasures.
type Service struct {
	o      Options
	people *person.Key
	box    *seal.Box // for the addresses of people who are being erased
}

// New returns a service.
func New(o Options) *Service {
	if o.Poll == 0 {
		o.Poll = DefaultPoll
	}
	return &Service{o: o, people: person.NewKey(o.Key), box: o.Key.Box(boxPurpose)}
}

// Person returns the person with an address: a phone number, an email address, or a WhatsApp ID. For a local sender
// ([phone.Local]), it is whoever has written as that sender.
//
// Errors: invalid_phone, invalid_email.
func (s *Service) Person(ctx context.Context, accountID, address string) (*person.Person, error) {
	address = strings.TrimSpace(address)
	switch person.KindOf(address) {
	case person.Number, person.ID:
	case person.Email:
		if err := message.CheckEmail("address", address); err != nil {
			return nil, err
		}
	case person.Other:
		if _, isLocal := phone.CutLocal(address); isLocal {
			break
		}
		return nil, apierror.InvalidPhone.On("address").Detailf("address must be an E.164 phone number, an email address, a WhatsApp ID, or local: with the sender of an SMS.")
	}
	return s.people.New(s.o.DB.Read(ctx), accountID, person.Digits(address))
}

// Pseudonym returns the pseudonym for an address in an account after its person is erased.
func (s *Service) Pseudonym(accountID, address string) string {
	return s.people.Pseudonym(accountID, address)
}
