package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// page is the page of the dashboard that people return to.
const page = "/dashboard/billing"

// Checkout returns the URL of the provider's page on which the account's owner gets a plan: they subscribe, change
// the subscription to another price, or, with the free plan, cancel it. priceID selects one of several prices of the
// plan. It can be empty if there is only one.
//
// Errors: [apierror.BillingManual], [apierror.InvalidPlan], [apierror.AlreadyOnPlan], [apierror.BillingUnavailable].
func (s *Service) Checkout(ctx context.Context, c *account.Caller, plan, priceID string) (url string, err error) {
	if err := account.MayBuyPlans.Check(c, s.o.Now()); err != nil {
		return "", err
	}
	if s.manual() {
		return "", s.askOperator()
	}
	price := Price{}
	if plan != planFree || priceID != "" {
		if price, err = s.priceOf(ctx, plan, priceID); err != nil {
			return "", err
		}
	}
	for range maxReads {
		known, err := s.customer(ctx, c.Account, price.ID != "")
		if err != nil {
			return "", err
		}
		if known != nil { // the decision depends on the provider's state
			if known, err = s.sync(ctx, known, nil); err != nil {
				return "", err
			}
		}
		url, again, err := s.page(ctx, c.Account, known, price.ID)
		if err != nil || !again {
			return url, err
		}
	}
	return "", apierror.BillingUnavailable.After(retryAfter)
}

// page opens the provider's page for changing to a price or, without a price, to the free plan.
func (s *Service) page(ctx context.Context, a *account.Account, c *customer, price string) (url string, again bool, err error) {
	switch {
	case price == "" && (c == nil || c.sub == nil) && a.Subscription.Plan != planFree: // an operator has set the plan
		return "", false, s.askOperator()
	case c == nil, c.sub == nil && price == "":
		return "", false, apierror.AlreadyOnPlan.On("plan")
	case c.sub == nil, c.sub.Status == incomplete:
		return s.subscribe(ctx, a, c, price)
	case c.sub.Entitled && c.sub.PriceID == price && c.sub.EndsAt.IsZero():
		return "", false, apierror.AlreadyOnPlan.On("plan")
	}
	p := &Portal{Customer: c.id, Lang: string(a.Lang), Return: s.o.URL + page}
	// If a payment is overdue or the subscription is going to end, the owner must first resolve this in the full portal.
	if c.sub.Entitled && c.sub.EndsAt.IsZero() {
		p.Subscription, p.Item, p.Price = c.sub.ID, c.sub.ItemID, price
	}
	url, err = s.portal(ctx, c, p)
	return url, false, err
}

// incomplete is the status of a subscription whose first payment failed. A new subscription replaces it.
const incomplete = "incomplete"

// subscribe opens a checkout. Its key is the customer's revision, so that concurrent clicks open the same page.
func (s *Service) subscribe(ctx context.Context, a *account.Account, c *customer, price string) (url string, again bool, err error) {
	url, open, err := s.o.Provider.Checkout(ctx, &Checkout{
		Key: idempotencyKey("checkout", c.id, price, strconv.FormatInt(c.revision, 10)), Customer: c.id, AccountID: a.ID, Price: price, Lang: string(a.Lang),
		Done: s.o.URL + page + "?checkout=done", Canceled: s.o.URL + page + "?checkout=canceled",
	})
	if errors.Is(err, ErrNoCustomer) {
		return "", true, s.replace(ctx, a, c)
	}
	if err != nil {
		return "", false, unavailable(err)
	}
	event := audit.New(ctx, s.o.Now(), a.ID, audit.CheckoutOpened, a.ID, "price", price)
	err = s.o.DB.Write(ctx, func(tx *db.Tx) error {
		if done, err := raiseRevision(tx, s.Provider(), c); err != nil || !done {
			return err // another request has incremented it
		}
		return audit.Record(tx, event)
	})
	return url, !open, err
}

// Portal returns the URL of the provider's page on which the account's owner sees and changes all billing data.
//
// Errors: [apierror.BillingManual], [apierror.NoSubscription], [apierror.BillingUnavailable].
func (s *Service) Portal(ctx context.Context, c *account.Caller) (url string, err error) {
	if err := account.MayBuyPlans.Check(c, s.o.Now()); err != nil {
		return "", err
	}
	if s.manual() {
		return "", s.askOperator()
	}
	known, err := s.customer(ctx, c.Account, false)
	if err != nil {
		return "", err
	}
	if known == nil {
		return "", apierror.NoSubscription.Err()
	}
	return s.portal(ctx, known, &Portal{Customer: known.id, Lang: string(c.Account.Lang), Return: s.o.URL + page})
}

func (s *Service) portal(ctx context.Context, c *customer, p *Portal) (url string, err error) {
	url, err = s.o.Provider.Portal(ctx, p)
	if errors.Is(err, ErrNoCustomer) {
		return "", apierror.NoSubscription.Err()
	}
	if err != nil {
		return "", unavailable(err)
	}
	event := audit.New(ctx, s.o.Now(), c.accountID, audit.PortalOpened, c.accountID)
	return url, s.o.DB.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
}

// customer returns the account's customer, or nil. If create is set, it creates a missing customer.
func (s *Service) customer(ctx context.Context, a *account.Account, create bool) (*customer, error) {
	c, err := customerOf(s.o.DB.Read(ctx), s.Provider(), s.Mode(), a.ID)
	if err != nil || c != nil || !create {
		return c, err
	}
	made, err := s.newCustomer(ctx, a, "")
	if err != nil {
		return nil, err
	}
	c = &customer{accountID: a.ID, id: made, mode: s.Mode()}
	event := audit.New(ctx, s.o.Now(), a.ID, audit.CustomerCreated, a.ID, "customer", made, "mode", string(c.mode))
	err = s.o.DB.Write(ctx, func(tx *db.Tx) error {
		if fresh, err := insertCustomer(tx, s.Provider(), c, s.o.Now()); err != nil || !fresh {
			return err
		}
		return audit.Record(tx, event)
	})
	if err != nil {
		return nil, err
	}
	stored, err := customerOf(s.o.DB.Read(ctx), s.Provider(), s.Mode(), a.ID)
	if err == nil && stored == nil {
		err = fmt.Errorf("billing: another account has the provider's customer %s", made)
	}
	return stored, err
}

// replace creates a customer that replaces one that was deleted at the provider.
func (s *Service) replace(ctx context.Context, a *account.Account, old *customer) error {
	made, err := s.newCustomer(ctx, a, old.id)
	if err != nil {
		return err
	}
	event := audit.New(ctx, s.o.Now(), a.ID, audit.CustomerCreated, a.ID, "customer", made, "mode", string(old.mode))
	return s.o.DB.Write(ctx, func(tx *db.Tx) error {
		if done, err := replaceCustomer(tx, s.Provider(), old, made); err != nil || !done {
			return err
		}
		return audit.Record(tx, event)
	})
}

// newCustomer creates a customer. Because of its key, concurrent calls, or a call after a crash, create the same customer.
func (s *Service) newCustomer(ctx context.Context, a *account.Account, instead string) (string, error) {
	made, err := s.o.Provider.CreateCustomer(ctx, &NewCustomer{
		Key: idempotencyKey("customer", a.ID, a.Name, a.Email, string(a.Lang), instead), AccountID: a.ID, Name: a.Name, Email: a.Email, Lang: string(a.Lang),
	})
	if err != nil {
		return "", unavailable(err)
	}
	return made, nil
}

func (s *Service) manual() bool { return s.Provider() == ManualName }

func (s *Service) askOperator() error {
	e := apierror.BillingManual.Err()
	if s.o.Contact != "" {
		_ = e.Detailf("The operator of this service sets the plans. Contact %s.", s.o.Contact)
	}
	return e
}

// idempotencyKey returns the same key for the same parts.
func idempotencyKey(parts ...string) string { return "griot-" + seal.Hash(strings.Join(parts, "\x00")) }
