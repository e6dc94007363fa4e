package mailtext

import (
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/idn"
)

// Addresses returns the sender's and the recipient's address with the domain in A-labels (RFC 5890), which every relay
// and provider understands.
func Addresses(out *gateway.Outbound) (from, to string, failure *gateway.Error) {
	from, ok := withALabels(out.From)
	if !ok {
		return "", "", &gateway.Error{Class: gateway.Permanent, Code: "sender_invalid"}
	}
	if to, ok = withALabels(out.To); !ok {
		return "", "", &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
	}
	return from, to, nil
}

func withALabels(address string) (string, bool) {
	if !IsAddress(address) {
		return "", false
	}
	at := strings.LastIndexByte(address, '@')
	if IsASCII(address[at+1:]) {
		return address, true
	}
	domain, ok := idn.ASCII(address[at+1:])
	address = address[:at+1] + domain
	return address, ok && IsAddress(address)
}
