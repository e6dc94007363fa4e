package gateway

import (
	"regexp"
	"strings"
)

// Pricing is what a provider reports about the price of a message.
type Pricing struct {
	Billable bool   // the provider charges for the message
	Category string // such as marketing, utility, authentication, service; in the form of [PricingCategory]; empty: not reported
}

var category = regexp.MustCompile(`\A[a-z_]{1,40}\z`)

// PricingCategory returns a provider's word for a category in lowercase, or "" if it isn't one word of 1 to 40 letters
// and underscores.
func PricingCategory(word string) string { return category.FindString(strings.ToLower(word)) }
