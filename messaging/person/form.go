package person

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/internal/idn"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// A Kind is the kind of an address.
type Kind int

// The kinds of addresses.
const (
	Other  Kind = iota // a pseudonym, a local sender (phone.Local), a short code, a sender's name, or no address at all
	Number             // a phone number, with or without a plus
	Email              // anything else with an at sign
	ID                 // a WhatsApp ID (whatsappid.ID)
)

// KindOf returns the kind of an address.
func KindOf(address string) Kind {
	if whatsappid.Is(address) {
		return ID
	}
	if _, isLocal := phone.CutLocal(address); isLocal {
		return Other
	}
	if strings.Contains(address, "@") {
		return Email
	}
	if _, ok := phone.Parse(address); ok {
		return Number
	}
	return Other
}

// Digits returns a number without its plus, and any other address unchanged: the form that gateways use.
func Digits(address string) string {
	if n, ok := phone.Parse(address); ok {
		return string(n)
	}
	return address
}

// Form returns the comparing form of an address: two addresses of one person that are only spelled differently have the same
// form. It is for comparisons; messages go to the address as it was given.
//
//   - An email address is in lower case, composed (NFC), and has its domain in A-labels.
//   - A phone number is in E.164 digits. Brazil, Mexico, and Argentina have two spellings of a mobile number, of which
//     WhatsApp uses one as the person's ID and people dial the other; their form is the longer one.
//   - A WhatsApp ID stays as it is, and so does anything else, such as a pseudonym.
func Form(address string) string {
	switch KindOf(address) {
	case Email:
		at := strings.LastIndexByte(address, '@')
		return fold(address[:at]) + "@" + domainForm(address[at+1:])
	case Number:
		return string(phone.Number(Digits(address)).Long())
	case ID, Other:
	}
	return address
}

// domainForm returns the comparing form of a domain. The lowercase form of an invalid domain can be valid, as with Ӏ.
func domainForm(domain string) string {
	for _, spelling := range []string{domain, fold(domain)} {
		if ascii, ok := idn.ASCII(spelling); ok {
			return ascii
		}
	}
	return fold(domain)
}

// fold returns a text in lowercase and composed. Canonically equal texts stay equal: İ is a letter and a dot in either encoding.
func fold(s string) string { return norm.NFC.String(strings.ToLower(norm.NFD.String(s))) }

// Part returns a part of an address in the form for searches: the digits of a typed number, such as 2237600 for +223
// 76 00, and anything else in lowercase.
func Part(search string) string {
	if digits, ok := phone.Part(search); ok {
		return digits
	}
	return strings.ToLower(search)
}

// Whole returns the address that a search text is if it is a whole one: the digits of a typed number, a WhatsApp ID, or
// anything else in lowercase.
func Whole(search string) string {
	if KindOf(search) == ID {
		return search
	}
	return Part(search)
}

// spellings returns the phone numbers with a form, starting with the form. For anything else, it returns only the form.
func spellings(form string) []string {
	out := []string{form}
	if KindOf(form) != Number {
		return out
	}
	for _, i := range []int{2, 4} { // a digit that one spelling leaves out
		if len(form) == 13 && Form(form[:i]+form[i+1:]) == form {
			out = append(out, form[:i]+form[i+1:])
		}
	}
	return out
}
