package stripe

import (
	"context"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/messaging/billing"
)

// PageOrigins implements [billing.Provider].
func (*Provider) PageOrigins() []string {
	return []string{"https://checkout.stripe.com", "https://billing.stripe.com"}
}

// Checkout implements [billing.Provider]. A customer has only one open page. A page for the same price is used again,
// and others are closed, so that no one pays twice from two tabs.
func (p *Provider) Checkout(ctx context.Context, c *billing.Checkout) (url string, open bool, err error) {
	again, err := p.openPage(ctx, c)
	if err != nil || again != "" {
		return again, true, err
	}
	params := &sdk.CheckoutSessionCreateParams{
		Mode: sdk.String(string(sdk.CheckoutSessionModeSubscription)), Customer: &c.Customer, ClientReferenceID: &c.AccountID, Locale: &c.Lang,
		LineItems:  []*sdk.CheckoutSessionCreateLineItemParams{{Price: &c.Price, Quantity: sdk.Int64(1)}},
		SuccessURL: &c.Done, CancelURL: &c.Canceled, Metadata: map[string]string{"account": c.AccountID, "price": c.Price},
		SubscriptionData: &sdk.CheckoutSessionCreateSubscriptionDataParams{Metadata: map[string]string{"account": c.AccountID}},
	}
	params.SetIdempotencyKey(c.Key)
	made, err := p.client.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return "", false, failed("opening a checkout", err)
	}
	return made.URL, made.Status == sdk.CheckoutSessionStatusOpen, nil
}

// openPage returns the customer's open page for the same price and closes those for other prices.
func (p *Provider) openPage(ctx context.Context, c *billing.Checkout) (url string, err error) {
	params := &sdk.CheckoutSessionListParams{Customer: &c.Customer, Status: sdk.String(string(sdk.CheckoutSessionStatusOpen))}
	params.Limit, params.Single = sdk.Int64(pageSize), true
	for s, err := range p.client.V1CheckoutSessions.List(ctx, params) {
		switch {
		case err != nil:
			return "", failed("reading open checkouts", err)
		case s.Status != sdk.CheckoutSessionStatusOpen || !p.fits(s.Livemode):
		case s.Metadata["price"] == c.Price && s.URL != "" && url == "":
			url = s.URL
		default:
			if _, err := p.client.V1CheckoutSessions.Expire(ctx, s.ID, nil); err != nil {
				return "", failed("closing a checkout", err)
			}
		}
	}
	return url, nil
}

// Portal implements [billing.Provider].
func (p *Provider) Portal(ctx context.Context, to *billing.Portal) (url string, err error) {
	params := &sdk.BillingPortalSessionCreateParams{Customer: &to.Customer, Locale: &to.Lang, ReturnURL: &to.Return}
	switch {
	case to.Subscription == "":
	case to.Price == "":
		params.FlowData = &sdk.BillingPortalSessionCreateFlowDataParams{
			Type:               sdk.String(string(sdk.BillingPortalSessionFlowTypeSubscriptionCancel)),
			SubscriptionCancel: &sdk.BillingPortalSessionCreateFlowDataSubscriptionCancelParams{Subscription: &to.Subscription},
		}
	default:
		params.FlowData = &sdk.BillingPortalSessionCreateFlowDataParams{
			Type: sdk.String(string(sdk.BillingPortalSessionFlowTypeSubscriptionUpdateConfirm)),
			SubscriptionUpdateConfirm: &sdk.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmParams{
				Subscription: &to.Subscription,
				Items:        []*sdk.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmItemParams{{ID: &to.Item, Price: &to.Price, Quantity: sdk.Int64(1)}},
			},
		}
	}
	if params.FlowData != nil {
		params.FlowData.AfterCompletion = &sdk.BillingPortalSessionCreateFlowDataAfterCompletionParams{
			Type:     sdk.String(string(sdk.BillingPortalSessionFlowAfterCompletionTypeRedirect)),
			Redirect: &sdk.BillingPortalSessionCreateFlowDataAfterCompletionRedirectParams{ReturnURL: &to.Return},
		}
	}
	made, err := p.client.V1BillingPortalSessions.Create(ctx, params)
	if err != nil {
		return "", failed("opening the portal", err)
	}
	return made.URL, nil
}
