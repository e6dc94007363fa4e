package api

import (
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing"
)

// maxBillingEvent is the maximum size of an event from the payment provider, in bytes.
const maxBillingEvent = 64 << 10

type billingAnswer struct {
	Success      bool             `json:"success"`
	Provider     string           `json:"provider"`
	Mode         *string          `json:"mode"`    // LIVE or TEST; null: no payments
	Contact      *string          `json:"contact"` // contact for questions about plans
	Plan         mePlan           `json:"plan"`
	Usage        meUsage          `json:"usage"`
	Subscription *subscription    `json:"subscription"`
	Plans        []billingPlan    `json:"plans"`
	Invoices     []billingInvoice `json:"invoices"`
	Actions      billingActions   `json:"actions"`
	Reachable    bool             `json:"providerReachable"` // false: prices or invoices are missing
}

type subscription struct {
	Plan        *string `json:"plan"` // null: the price is not for sale here
	PriceID     *string `json:"priceId"`
	Status      string  `json:"status"`
	RenewsAt    *string `json:"renewsAt"`
	EndsAt      *string `json:"endsAt"`
	TrialEndsAt *string `json:"trialEndsAt"`
}

type billingPlan struct {
	Name         string         `json:"name"`
	Current      bool           `json:"current"` // in effect now
	DailyLimit   *int64         `json:"dailyLimit"`
	Rate         *int64         `json:"rate"` // requests per second and key
	Inbox        bool           `json:"inbox"`
	RecipientCap *int64         `json:"recipientCap"`
	Prices       []billingPrice `json:"prices"`
}

type billingPrice struct {
	ID            string `json:"id"`
	Amount        int64  `json:"amount"` // in the currency's smallest unit
	Currency      string `json:"currency"`
	Interval      string `json:"interval"`
	IntervalCount int64  `json:"intervalCount"`
}

type billingInvoice struct {
	ID        string  `json:"id"`
	Number    *string `json:"number"`
	Status    string  `json:"status"`
	Amount    int64   `json:"amount"`
	Currency  string  `json:"currency"`
	CreatedAt string  `json:"createdAt"`
	URL       *string `json:"url"`
	PDFURL    *string `json:"pdfUrl"`
}

type billingActions struct {
	Checkout bool `json:"checkout"`
	Portal   bool `json:"portal"`
}

// billing handles GET /api/billing.
func (a *API) billing(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	b := a.o.Billing
	shown, err := b.Show(r.Context(), c)
	if err != nil {
		return err
	}
	of := shown.Account
	out := billingAnswer{
		Success: true, Provider: b.Provider(), Mode: textOrNull(string(b.Mode())), Contact: textOrNull(b.Contact()), Plan: a.mePlan(of), Subscription: subscriptionOf(shown.Subscription),
		Plans: []billingPlan{}, Invoices: []billingInvoice{}, Reachable: shown.Reachable, Actions: billingActions{Portal: shown.Customer},
	}
	if out.Usage, err = a.meUsage(r.Context(), of); err != nil {
		return err
	}
	for _, p := range shown.Plans {
		out.Plans = append(out.Plans, planOf(&p, of.Plan.Name))
		out.Actions.Checkout = out.Actions.Checkout || len(p.Prices) > 0
	}
	for _, i := range shown.Invoices {
		out.Invoices = append(out.Invoices, billingInvoice{
			ID: i.ID, Number: textOrNull(i.Number), Status: i.Status, Amount: i.Amount, Currency: i.Currency, CreatedAt: formatTime(i.At), URL: textOrNull(i.URL), PDFURL: textOrNull(i.PDF),
		})
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

func subscriptionOf(s *billing.Subscription) *subscription {
	if s == nil {
		return nil
	}
	out := &subscription{
		Plan: textOrNull(s.Plan), PriceID: textOrNull(s.PriceID), Status: s.Status, EndsAt: formatTimeOrNull(s.EndsAt), TrialEndsAt: formatTimeOrNull(s.TrialEndsAt),
	}
	if s.EndsAt.IsZero() {
		out.RenewsAt = formatTimeOrNull(s.PeriodEnd)
	}
	return out
}

func planOf(p *billing.PlanOffer, current string) billingPlan {
	out := billingPlan{
		Name: p.Name, Current: p.Name == current, DailyLimit: limitOf(p.DailyLimit), Rate: limitOf(int64(p.Rate)), Inbox: p.Inbox, RecipientCap: limitOf(p.RecipientCap), Prices: []billingPrice{},
	}
	for _, price := range p.Prices {
		out.Prices = append(out.Prices, billingPrice{price.ID, price.Amount, price.Currency, price.Interval, price.IntervalCount})
	}
	return out
}

type checkoutBody struct {
	Plan    string  `json:"plan"`
	PriceID *string `json:"priceId"`
}

type billingPage struct {
	Success bool   `json:"success"`
	URL     string `json:"url"` // a page of the provider
}

// billingCheckout handles POST /api/billing/checkout.
func (a *API) billingCheckout(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in checkoutBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if in.Plan == "" {
		return apierror.InvalidRequest.On("plan").Detailf("plan is required.")
	}
	price := ""
	if in.PriceID != nil {
		price = *in.PriceID
	}
	url, err := a.o.Billing.Checkout(r.Context(), c, in.Plan, price)
	return writeBillingPage(w, url, err)
}

// billingPortal handles POST /api/billing/portal.
func (a *API) billingPortal(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	url, err := a.o.Billing.Portal(r.Context(), c)
	return writeBillingPage(w, url, err)
}

func writeBillingPage(w http.ResponseWriter, url string, err error) error {
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, billingPage{true, url})
}

// billingEvent handles POST /billing/stripe/events. The signature covers the bytes of the body, so the body is not
// decoded before the check.
func (a *API) billingEvent(w http.ResponseWriter, r *http.Request) error {
	body, release, err := a.http.ReadUnauthenticated(&a.billingBodies, w, r, maxBillingEvent, httpx.AllUnauthenticated)
	defer release()
	if err != nil {
		return err
	}
	if err := a.o.Billing.Receive(r.Context(), body, r.Header.Get("Stripe-Signature")); err != nil {
		return err
	}
	a.billingBodies.Prove(r)
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}
