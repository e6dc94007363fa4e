package billing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
)

const (
	pricesLifetime = 10 * time.Minute
	shownInvoices  = 12
	showTimeout    = 4 * time.Second // for the provider's data on the page
)

// An Overview is the data of the billing page in addition to the account's plan and use.
type Overview struct {
	Account      *account.Account // the current account
	Plans        []PlanOffer
	Subscription *Subscription // nil: none
	Customer     bool          // there is data to show in the provider's portal
	Invoices     []Invoice
	Reachable    bool // false: the provider did not respond, and prices or invoices are missing
}

// A PlanOffer is a plan with its prices.
type PlanOffer struct {
	account.Plan
	Prices []Price // none: not for sale
}

// Show returns the overview of the caller's account. Like an event, it reads the account's state from the provider and stores
// it, so that a person who returns from a checkout sees the plan even if the event is late or lost. Therefore, the
// account might have changed.
//
// Errors: [apierror.AccountRequired] if the account no longer exists.
func (s *Service) Show(ctx context.Context, by *account.Caller) (*Overview, error) {
	if err := account.MayReadBilling.Check(by, s.o.Now()); err != nil {
		return nil, err
	}
	a := by.Account
	plans, err := s.o.Directory.Plans(ctx)
	if err != nil {
		return nil, err
	}
	c, err := customerOf(s.o.DB.Read(ctx), s.Provider(), s.Mode(), a.ID)
	if err != nil {
		return nil, err
	}
	out := &Overview{Customer: c != nil, Invoices: []Invoice{}}
	asked, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	var wg sync.WaitGroup
	var prices []Price
	var priceErr, invoiceErr, syncErr error
	wg.Go(func() { prices, priceErr = s.allPrices(asked) })
	if c != nil {
		out.Subscription = c.sub
		of, customerID := c, c.id
		wg.Go(func() { c, syncErr = s.sync(asked, of, nil) })
		wg.Go(func() { out.Invoices, invoiceErr = s.o.Provider.Invoices(asked, customerID, shownInvoices) })
	}
	wg.Wait()
	switch {
	case syncErr == nil && c != nil:
		out.Subscription = c.sub
	case syncErr != nil && asked.Err() == nil && !errors.Is(syncErr, apierror.BillingUnavailable.Err()):
		return nil, syncErr // not an error of the provider
	}
	if errors.Is(invoiceErr, ErrNoCustomer) { // the customer was deleted at the provider
		invoiceErr = nil
	}
	if err := errors.Join(priceErr, invoiceErr, syncErr); err != nil {
		s.o.Log.Error("reading from the payment provider", "provider", s.Provider(), "err", err)
	}
	out.Reachable = priceErr == nil && invoiceErr == nil && syncErr == nil
	if out.Account, err = s.o.Directory.Account(ctx, a.ID); err != nil || out.Account == nil {
		return nil, cmp.Or(err, error(apierror.AccountRequired.Err()))
	}
	a = out.Account
	for _, p := range plans {
		offer := PlanOffer{Plan: p, Prices: []Price{}}
		for _, price := range prices {
			if price.Plan == p.Name {
				offer.Prices = append(offer.Prices, price)
			}
		}
		if p.DailyLimit > 0 || p.Name == a.Plan.Name || len(offer.Prices) > 0 { // a plan without a quota is not offered to everyone
			out.Plans = append(out.Plans, offer)
		}
	}
	return out, nil
}

// priceOf returns the selected price of a plan.
func (s *Service) priceOf(ctx context.Context, plan, priceID string) (Price, error) {
	all, err := s.allPrices(ctx)
	if err != nil {
		return Price{}, unavailable(err)
	}
	fits := slices.DeleteFunc(slices.Clone(all), func(p Price) bool { return p.Plan != plan || priceID != "" && p.ID != priceID })
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return Price{}, apierror.InvalidPlan.On("plan")
	}
	return Price{}, apierror.InvalidPlan.On("priceId").Detailf("The plan has several prices. Choose one.")
}

// allPrices returns the prices, smallest first. They can be up to ten minutes old.
func (s *Service) allPrices(ctx context.Context) ([]Price, error) {
	s.mu.Lock()
	prices, until := s.prices, s.pricesUntil
	s.mu.Unlock()
	if s.o.Now().Before(until) {
		return prices, nil
	}
	prices, err := s.o.Provider.Prices(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(prices, func(a, b Price) int { return int(min(max(a.Amount-b.Amount, -1), 1)) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices, s.pricesUntil = prices, s.o.Now().Add(pricesLifetime)
	return prices, nil
}
