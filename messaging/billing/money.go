package billing

import "strings"

// Decimals returns the number of decimal places of a currency. Providers give amounts in the smallest unit.
func Decimals(currency string) int {
	const none, three = " bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf ", " bhd jod kwd omr tnd "
	switch c := " " + strings.ToLower(currency) + " "; {
	case strings.Contains(none, c):
		return 0
	case strings.Contains(three, c):
		return 3
	}
	return 2
}
