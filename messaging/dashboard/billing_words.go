package dashboard

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/billing"
	"example.com/griot/web"
)

// planStats returns the plan, its use, and its end.
func (d *Dashboard) planStats(lang i18n.Lang, shown *billing.Overview, used int64) []web.Stat {
	a, now := shown.Account, d.o.Now()
	plan := web.Stat{Label: lang.T("dashboard.billing.plan"), Value: capitalized(a.Plan.Name)}
	if a.Subscription.Trial(now) {
		plan.Note = lang.T("dashboard.billing.trial", lang.Date(a.Subscription.TrialEndsAt.In(a.Location())))
	}
	end := web.Stat{Label: lang.T("dashboard.billing.until"), Value: "–", Note: lang.T("dashboard.billing.no_end")}
	sub := shown.Subscription
	switch {
	case sub != nil && sub.Entitled && !sub.EndsAt.IsZero():
		end.Value, end.Note = lang.Date(sub.EndsAt.In(a.Location())), lang.T("dashboard.billing.ends")
	case sub != nil && sub.Entitled && !sub.PeriodEnd.IsZero():
		end.Label, end.Value, end.Note = lang.T("dashboard.billing.renews"), lang.Date(sub.PeriodEnd.In(a.Location())), lang.T("dashboard.billing.by_itself")
	case sub == nil && now.Before(a.Subscription.ExpiresAt):
		end.Value, end.Note = lang.Date(a.Subscription.ExpiresAt.In(a.Location())), lang.T("dashboard.billing.then_free")
	}
	return []web.Stat{plan, usage(lang, used, a.Plan.DailyLimit), end}
}

// cardOf describes a plan and the ways to change to it.
func cardOf(lang i18n.Lang, p *billing.PlanOffer, shown *billing.Overview) planCard {
	card := planCard{Title: capitalized(p.Name), Current: p.Name == shown.Account.Plan.Name}
	switch {
	case p.DailyLimit > 0:
		card.Facts = append(card.Facts, lang.T("dashboard.billing.daily", number(lang, p.DailyLimit)))
	default:
		card.Facts = append(card.Facts, lang.T("dashboard.billing.no_daily"))
	}
	if p.Rate > 0 {
		card.Facts = append(card.Facts, lang.T("dashboard.billing.rate", number(lang, int64(p.Rate))))
	}
	if p.RecipientCap > 0 {
		card.Facts = append(card.Facts, lang.T("dashboard.billing.recipient", number(lang, p.RecipientCap)))
	}
	if p.Inbox {
		card.Facts = append(card.Facts, lang.T("dashboard.billing.inbox"))
	}
	sub := shown.Subscription
	for _, price := range p.Prices {
		form := priceForm{Plan: p.Name, Price: price.ID, Text: priceText(lang, &price), Button: lang.T("dashboard.billing.choose", card.Title)}
		form.Current = sub != nil && sub.Entitled && sub.PriceID == price.ID
		if form.Current && !sub.EndsAt.IsZero() { // it can be resumed
			form.Current, form.Button = false, lang.T("dashboard.billing.keep", card.Title)
		}
		card.Prices = append(card.Prices, form)
	}
	if len(p.Prices) == 0 && p.Name == "free" && sub != nil && sub.Entitled && sub.EndsAt.IsZero() {
		card.Prices = append(card.Prices, priceForm{Plan: p.Name, Button: lang.T("dashboard.billing.cancel"), Cancel: true})
	}
	return card
}

// priceText returns a price with its period.
func priceText(lang i18n.Lang, p *billing.Price) string {
	amount, interval := money(lang, p.Amount, p.Currency), p.Interval
	if !lang.Has("dashboard.billing.a_" + interval) {
		interval = "month"
	}
	if p.IntervalCount > 1 {
		return lang.T("dashboard.billing.every_"+interval, amount, p.IntervalCount)
	}
	return lang.T("dashboard.billing.a_"+interval, amount)
}

// money formats an amount in a currency's smallest unit: "49 EUR", "1,234.50 EUR".
func money(lang i18n.Lang, amount int64, currency string) string {
	decimals, unit := billing.Decimals(currency), int64(1)
	for range decimals {
		unit *= 10
	}
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	text := number(lang, amount/unit)
	if rest := amount % unit; rest != 0 {
		text += lang.T("format.decimal") + fmt.Sprintf("%0"+strconv.Itoa(decimals)+"d", rest)
	}
	return sign + text + "\u00a0" + strings.ToUpper(currency)
}

func invoiceOf(lang i18n.Lang, i *billing.Invoice) invoiceRow {
	tones := map[string]web.Tone{"paid": web.Good, "open": web.Warn, "uncollectible": web.Bad}
	return invoiceRow{
		Number: cmp.Or(i.Number, i.ID), Amount: money(lang, i.Amount, i.Currency), At: i.At, URL: webAddress(i.URL), PDF: webAddress(i.PDF),
		Status: web.Badge{Text: lang.Named("dashboard.billing.invoice_", i.Status), Tone: tones[i.Status]},
	}
}

// webAddress returns an address if it is allowed in a link, and otherwise "".
func webAddress(address string) string {
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return address
}
