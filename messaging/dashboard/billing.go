package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing"
	"example.com/griot/web"
)

const (
	billingPath  = "/dashboard/billing"
	checkoutPath = billingPath + "/checkout"
	portalPath   = billingPath + "/portal"
)

func (d *Dashboard) billingRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", billingPath, account.MayReadBilling, d.billing),
		d.form(checkoutPath, account.MayBuyPlans, d.checkout),
		d.form(portalPath, account.MayBuyPlans, d.portal),
	}
}

const pageBilling = "dashboard_billing" // billingPage

// billingPage is the page of an account's plan and the other plans.
type billingPage struct {
	Alerts   []web.Alert
	Stats    []web.Stat
	Manual   bool   // no payment provider: an operator sets plans
	Contact  string // contact for questions about plans; empty: not configured
	Plans    []planCard
	Portal   bool // the account is a customer of the provider, which has a portal
	Invoices []invoiceRow
}

// A planCard is a plan with the forms for selecting it.
type planCard struct {
	Title   string
	Current bool
	Facts   []string
	Prices  []priceForm
}

// A priceForm is a form for a price, or for the free plan, which has no price.
type priceForm struct {
	Plan, Price string
	Text        string // the price
	Button      string
	Current     bool // the current price
	Cancel      bool
}

type invoiceRow struct {
	Number, Amount string
	Status         web.Badge
	At             time.Time
	URL, PDF       string
}

// billing handles GET /dashboard/billing.
func (d *Dashboard) billing(v *visit) error {
	return d.showBilling(v, http.StatusOK, "")
}

// checkout handles POST /dashboard/billing/checkout. It redirects to the provider's page for a price.
func (d *Dashboard) checkout(v *visit, form url.Values) error {
	to, err := d.o.Billing.Checkout(v.r.Context(), v.caller, form.Get("plan"), form.Get("price"))
	return d.toProvider(v, to, err)
}

// portal handles POST /dashboard/billing/portal. It redirects to the provider's portal.
func (d *Dashboard) portal(v *visit, _ url.Values) error {
	to, err := d.o.Billing.Portal(v.r.Context(), v.caller)
	return d.toProvider(v, to, err)
}

// toProvider responds to a form with a redirect to a page of the payment provider, or with the reason why there is none.
func (d *Dashboard) toProvider(v *visit, to string, err error) error {
	if err == nil {
		return httpx.SeeOther(v.w, to)
	}
	e, ok := refusal(err)
	if !ok && !is(err, apierror.BillingUnavailable) {
		return err
	}
	if !ok {
		e = apierror.BillingUnavailable.Err()
		e.RetryAfter = billingRetry
	}
	httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
	return d.showBilling(v, e.Kind.Status, explain(v.lang, e))
}

const billingRetry = 30 * time.Second

// showBilling shows the page, with the error of the last form.
func (d *Dashboard) showBilling(v *visit, status int, wrong string) error {
	b := d.o.Billing
	shown, err := b.Show(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	used, err := d.o.Directory.UsedToday(v.r.Context(), shown.Account.ID)
	if err != nil {
		return err
	}
	page := &billingPage{Manual: b.Provider() == billing.ManualName, Contact: b.Contact(), Portal: shown.Customer}
	if v.caller.Account.Suspended() {
		page.Alerts = append(page.Alerts, suspendedAlert(v))
	}
	if wrong != "" {
		page.Alerts = append(page.Alerts, web.Alert{Tone: web.Bad, Text: wrong})
	}
	page.Alerts = append(page.Alerts, d.billingAlerts(v, shown)...)
	page.Stats = d.planStats(v.lang, shown, used)
	for i := range shown.Plans {
		page.Plans = append(page.Plans, cardOf(v.lang, &shown.Plans[i], shown))
	}
	for i := range shown.Invoices {
		page.Invoices = append(page.Invoices, invoiceOf(v.lang, &shown.Invoices[i]))
	}
	v.formOrigins = b.PageOrigins()
	return d.serve(v, status, pageBilling, billingPath, page)
}

// A person who returns from a checkout can be faster than the payment, so the page reloads automatically for two minutes.
const (
	confirmEvery = 5 * time.Second
	confirmTimes = 24
	timesParam   = "times"
)

// billingAlerts returns the alerts about the account's billing.
func (d *Dashboard) billingAlerts(v *visit, shown *billing.Overview) (list []web.Alert) {
	lang, q := v.lang, v.r.URL.Query()
	if d.o.Billing.Mode() == billing.Test {
		list = append(list, web.Alert{Tone: web.Info, Title: lang.T("dashboard.billing.test"), Text: lang.T("dashboard.billing.test_text")})
	}
	sub := shown.Subscription
	active := sub != nil && sub.Entitled
	switch {
	case q.Get("checkout") == "done" && active:
		list = append(list, web.Alert{Tone: web.Good, Title: lang.T("dashboard.billing.thanks"), Text: lang.T("dashboard.billing.active", capitalized(shown.Account.Plan.Name))})
	case q.Get("checkout") == "done":
		list = append(list, d.beingConfirmed(v))
	case q.Get("checkout") == "canceled":
		list = append(list, web.Alert{Tone: web.Info, Text: lang.T("dashboard.billing.canceled")})
	}
	if sub != nil && !sub.Entitled && q.Get("checkout") != "done" {
		list = append(list, web.Alert{Tone: web.Bad, Title: lang.T("dashboard.billing.unpaid"), Text: lang.T("dashboard.billing.unpaid_text")})
	}
	if s := shown.Account.Subscription; sub == nil && !s.ExpiresAt.IsZero() && !d.o.Now().Before(s.ExpiresAt) {
		list = append(list, web.Alert{Tone: web.Warn, Text: lang.T("dashboard.billing.expired", capitalized(s.Plan), lang.Date(s.ExpiresAt.In(v.zone())))})
	}
	if !shown.Reachable {
		list = append(list, web.Alert{Tone: web.Warn, Title: lang.T("dashboard.billing.unreachable"), Text: lang.T("dashboard.billing.unreachable_text")})
	}
	return list
}

// beingConfirmed returns an alert that a payment is not confirmed yet.
func (d *Dashboard) beingConfirmed(v *visit) web.Alert {
	const returned = billingPath + "?checkout=done"
	times, _ := strconv.Atoi(v.r.URL.Query().Get(timesParam))
	text := v.lang.T("dashboard.billing.confirming_long")
	if times >= 0 && times < confirmTimes {
		text = v.lang.T("dashboard.billing.confirming_text")
		v.w.Header().Set("Refresh", strconv.Itoa(int(confirmEvery.Seconds()))+"; url="+returned+"&"+timesParam+"="+strconv.Itoa(times+1))
	}
	return web.Alert{Tone: web.Info, Title: v.lang.T("dashboard.billing.confirming"), Text: text, URL: returned, Action: v.lang.T("dashboard.billing.look_again")}
}
