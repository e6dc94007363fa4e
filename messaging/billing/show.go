package billing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/messaging/account"
)

const (
	pricesLifetime = 10 * time.Minute
	shownInvoices  = 12
	showTimeout    = 4 * time.Second // for what the provider adds to the page
)

// Overview is what the billing page shows beside the account's plan and use.
type Overview struct {
	Account      *account.Account // as it is now
	Plans        []PlanOffer
	Subscription *Subscription // nil: none
	Customer     bool          // there is something to see in the provider's portal
	Invoices     []Invoice
	Reachable    bool // false: the provider did not answer, and prices or invoices are missing
}

// PlanOffer is a plan and what it costs.
type PlanOffer struct {
	account.Plan
	Prices []Price // none: it is not for sale
}

// Show returns the overview of an account. It reads the account's state from the provider and stores it, as an event does:
// whoever comes back from a checkout sees the plan, though the event is late, or lost. So the account may have changed.
//
// Errors: [fault.AccountRequired] when the account is gone.
func (s *Service) Show(ctx context.Context, a *account.Account) (*Overview, error) {
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
	case syncErr != nil && asked.Err() == nil && !errors.Is(syncErr, fault.BillingUnavailable.Err()):
		return nil, syncErr // not the provider's
	}
	if errors.Is(invoiceErr, ErrNoCustomer) { // somebody deleted it at the provider
		invoiceErr = nil
	}
	if err := errors.Join(priceErr, invoiceErr, syncErr); err != nil {
		s.o.Log.Error("reading from the payment provider", "provider", s.Provider(), "err", err)
	}
	out.Reachable = priceErr == nil && invoiceErr == nil && syncErr == nil
	if out.Account, err = s.o.Directory.Account(ctx, a.ID); err != nil || out.Account == nil {
		return nil, cmp.Or(err, error(fault.AccountRequired.Err()))
	}
	a = out.Account
	for _, p := range plans {
		offer := PlanOffer{Plan: p, Prices: []Price{}}
		for _, price := range prices {
			if price.Plan == p.Name {
				offer.Prices = append(offer.Prices, price)
			}
		}
		if p.DailyLimit > 0 || p.Name == a.Plan.Name || len(offer.Prices) > 0 { // one without a quota is not for everybody
			out.Plans = append(out.Plans, offer)
		}
	}
	return out, nil
}

// priceOf returns the price of a plan that is meant.
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
		return Price{}, fault.InvalidPlan.On("plan")
	}
	return Price{}, fault.InvalidPlan.On("priceId").Detailf("The plan has several prices: name one.")
}

// allPrices returns the prices as they were at most ten minutes ago, the smallest first.
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
