package dashboard

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/billing"
	"example.com/griot/web"
)

// planStats are the plan, its use and its end.
func (d *Dashboard) planStats(lang i18n.Lang, shown *billing.Overview, used int64) []web.Stat {
	a, now := shown.Account, d.o.Now()
	plan := web.Stat{Label: lang.T("dashboard.billing.plan"), Value: planTitle(a.Plan.Name)}
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

// cardOf describes a plan, and how to change to it.
func cardOf(lang i18n.Lang, p *billing.PlanOffer, shown *billing.Overview) planCard {
	card := planCard{Title: planTitle(p.Name), Current: p.Name == shown.Account.Plan.Name}
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
		if form.Current && !sub.EndsAt.IsZero() { // it can be taken up again
			form.Current, form.Button = false, lang.T("dashboard.billing.keep", card.Title)
		}
		card.Prices = append(card.Prices, form)
	}
	if len(p.Prices) == 0 && p.Name == "free" && sub != nil && sub.Entitled && sub.EndsAt.IsZero() {
		card.Prices = append(card.Prices, priceForm{Plan: p.Name, Button: lang.T("dashboard.billing.cancel"), Cancel: true})
	}
	return card
}

// planTitle is a plan's name as a name.
func planTitle(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// priceText is what a price costs, and for how long.
func priceText(lang i18n.Lang, p *billing.Price) string {
	amount := money(lang, p.Amount, p.Currency)
	if p.IntervalCount > 1 {
		switch p.Interval {
		case "day":
			return lang.T("dashboard.billing.every_days", amount, p.IntervalCount)
		case "week":
			return lang.T("dashboard.billing.every_weeks", amount, p.IntervalCount)
		case "year":
			return lang.T("dashboard.billing.every_years", amount, p.IntervalCount)
		}
		return lang.T("dashboard.billing.every_months", amount, p.IntervalCount)
	}
	switch p.Interval {
	case "day":
		return lang.T("dashboard.billing.a_day", amount)
	case "week":
		return lang.T("dashboard.billing.a_week", amount)
	case "year":
		return lang.T("dashboard.billing.a_year", amount)
	}
	return lang.T("dashboard.billing.a_month", amount)
}

// money writes an amount of a currency's smallest unit: "49 EUR", "1,234.50 EUR".
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
		point := "."
		if lang == i18n.FR {
			point = ","
		}
		text += point + fmt.Sprintf("%0"+strconv.Itoa(decimals)+"d", rest)
	}
	return sign + text + "\u00a0" + strings.ToUpper(currency)
}

func invoiceOf(lang i18n.Lang, i *billing.Invoice) invoiceRow {
	row := invoiceRow{Number: i.Number, Amount: money(lang, i.Amount, i.Currency), At: i.At, URL: webAddress(i.URL), PDF: webAddress(i.PDF), Status: web.Badge{Text: i.Status}}
	if row.Number == "" {
		row.Number = i.ID
	}
	switch i.Status {
	case "paid":
		row.Status = web.Badge{Text: lang.T("dashboard.billing.paid"), Tone: web.Good}
	case "open":
		row.Status = web.Badge{Text: lang.T("dashboard.billing.open"), Tone: web.Warn}
	case "draft":
		row.Status.Text = lang.T("dashboard.billing.draft")
	case "void":
		row.Status.Text = lang.T("dashboard.billing.void")
	case "uncollectible":
		row.Status = web.Badge{Text: lang.T("dashboard.billing.uncollectible"), Tone: web.Bad}
	}
	return row
}

// webAddress is an address that a link may have; empty for any other.
func webAddress(address string) string {
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return address
}
