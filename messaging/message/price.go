package message

import "example.com/griot/gateway"

// A Price is what the provider has reported about the price of a message: a plus sign if the provider charges for the
// message, otherwise a minus sign, and the category, which can be empty. For example: "+utility". The empty text means
// that nothing was reported.
type Price string

// PriceOf returns the price in a report, or "" for nil.
func PriceOf(p *gateway.Pricing) Price {
	switch {
	case p == nil:
		return ""
	case p.Billable:
		return Price("+" + p.Category)
	}
	return Price("-" + p.Category)
}

// Charged reports whether the provider charges for the message. It returns false if nothing was reported.
func (p Price) Charged() bool { return p != "" && p[0] == '+' }

// Category returns the provider's word for the category, or "" if it was not reported.
func (p Price) Category() string {
	if p == "" {
		return ""
	}
	return string(p[1:])
}
