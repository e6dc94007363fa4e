package smpp

import (
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/phone"
)

// Types of number and numbering plans (SMPP 3.4 §5.2.5, §5.2.6).
const (
	tonUnknown       = 0
	tonInternational = 1
	tonNational      = 2
	tonNetwork       = 3
	tonAlphanumeric  = 5
	npiUnknown       = 0
	npiISDN          = 1
)

// source returns the address of a sender: a number, a short code, or a name of up to 11 characters.
func (s settings) source(from string) (pdu.Address, bool) {
	a := pdu.Address{Addr: from}
	number, isNumber := phone.Parse(from)
	switch {
	case isNumber:
		a = pdu.Address{TON: tonInternational, NPI: npiISDN, Addr: string(number)}
	case isDigits(from) && len(from) >= 3 && len(from) <= 8:
		a.TON, a.NPI = tonNetwork, npiUnknown
	case gateway.CheckName(from) == "":
		a.TON, a.NPI = tonAlphanumeric, npiUnknown
	default:
		return pdu.Address{}, false
	}
	return override(a, s.SourceTON, s.SourceNPI), true
}

// destination returns the address of a recipient, which is always a number.
func (s settings) destination(to string) (pdu.Address, bool) {
	number, ok := phone.Parse(to)
	if !ok {
		return pdu.Address{}, false
	}
	return override(pdu.Address{TON: tonInternational, NPI: npiISDN, Addr: string(number)}, s.DestinationTON, s.DestinationNPI), true
}

func override(a pdu.Address, ton, npi *byte) pdu.Address {
	if ton != nil {
		a.TON = *ton
	}
	if npi != nil {
		a.NPI = *npi
	}
	return a
}

// person returns the number of a message's writer. ok is false for names and short codes, which cannot receive replies.
func (s settings) person(a pdu.Address) (phoneNumber string, ok bool) {
	if a.TON == tonAlphanumeric {
		return "", false
	}
	number, ok := phone.Parse(s.digits(a))
	return string(number), ok
}

// digits returns an address without a plus sign, international prefix, or trunk zero.
func (s settings) digits(a pdu.Address) string {
	d := strings.TrimPrefix(a.Addr, "+")
	switch {
	case a.TON == tonNational && s.CountryCode != "":
		d = s.CountryCode + strings.TrimPrefix(d, "0")
	case a.TON == tonInternational || a.TON == tonUnknown:
		d = strings.TrimPrefix(d, "00")
	}
	return d
}

// CheckName implements [gateway.Namer].
func (*sender) CheckName(name string) (problem string) { return gateway.CheckName(name) }

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
