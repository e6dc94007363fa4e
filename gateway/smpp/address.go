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
	tonSubscriber    = 4
	tonAlphanumeric  = 5
	tonAbbreviated   = 6
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

// setSender sets the writer of a message. It returns false if the center names none.
func (s settings) setSender(in *gateway.Inbound, a pdu.Address) bool {
	if a.TON == tonAlphanumeric { // digits, too, are a name
		return in.SetLocal(a.Addr)
	}
	return in.SetSender(s.home, a.Addr, formOf(a.TON))
}

// receiver returns our number or short code that a message was sent to, or "" if the address is neither, so that the
// sink looks for it.
func (s settings) receiver(a pdu.Address) string {
	return gateway.ReceiverOf(s.home, a.Addr, formOf(a.TON))
}

// formOf returns what the type of an address says about its form. Centers use the types of the network and unknown ones
// for numbers of any form.
func formOf(ton byte) phone.SenderForm {
	switch ton {
	case tonInternational:
		return phone.FormInternational
	case tonNational, tonSubscriber, tonAbbreviated:
		return phone.FormNational
	}
	return phone.FormUnknown
}

// CheckName implements [gateway.Namer].
func (*sender) CheckName(name string) (problem string) { return gateway.CheckName(name) }

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
