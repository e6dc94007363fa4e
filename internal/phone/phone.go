package phone

import "strings"

// Number is the digits of an E.164 number, without a plus.
type Number string

// Parse parses an optional plus and 8 to 15 digits; ok is false for anything else.
func Parse(s string) (n Number, ok bool) {
	s = strings.TrimPrefix(s, "+")
	if len(s) < 8 || len(s) > 15 || s[0] < '1' || s[0] > '9' {
		return "", false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return "", false
		}
	}
	return Number(s), true
}

// IsShortCode reports whether s can be a short code, which carriers assign to services: 3 to 7 digits. It isn't an
// E.164 number.
func IsShortCode(s string) bool {
	return len(s) >= 3 && len(s) <= 7 && strings.Trim(s, "0123456789") == ""
}

// E164 returns the number with its plus.
func (n Number) E164() string { return "+" + string(n) }

// Shown returns an address in the format of responses and events: a number with its
// plus, a sender by [Local] as it came, and anything else (an email address, a short code, a sender's name) unchanged.
func Shown(address string) string {
	if n, ok := Parse(address); ok {
		return n.E164()
	}
	if sender, ok := CutLocal(address); ok {
		return sender
	}
	return address
}

// Long returns the longer spelling of a mobile number of Brazil, Mexico, or Argentina, which have two: WhatsApp uses one
// as the person's ID, and people dial the other. It returns any other number unchanged.
func (n Number) Long() Number {
	switch {
	case len(n) == 12 && strings.HasPrefix(string(n), "55") && n[4] >= '6': // Brazil: since 2016, mobile numbers have a 9 after the area code
		return n[:4] + "9" + n[4:]
	case len(n) == 12 && strings.HasPrefix(string(n), "52"): // Mexico: until 2019, a 1 was dialed before mobile numbers
		return "521" + n[2:]
	case len(n) == 12 && strings.HasPrefix(string(n), "54") && n[2] != '9': // Argentina: a 9 is dialed from abroad
		return "549" + n[2:]
	}
	return n
}

// Masked returns the number in the format of events and logs: the first three and the
// last three digits, and stars for the others.
func (n Number) Masked() string {
	if len(n) < 8 {
		return "+***"
	}
	return "+" + string(n[:3]) + strings.Repeat("*", len(n)-6) + string(n[len(n)-3:])
}

const sandboxPrefix = "22300000"

// Sandbox reports whether n is one of the ten fixed numbers of the sandbox:
// 22300000 followed by 001 to 009 or 099.
func (n Number) Sandbox() bool {
	rest, ok := strings.CutPrefix(string(n), sandboxPrefix)
	return ok && (rest == "099" || (len(rest) == 3 && rest[:2] == "00" && rest[2] >= '1' && rest[2] <= '9'))
}

// SandboxNumbers returns the ten fixed numbers.
func SandboxNumbers() []Number {
	var list []Number
	for _, rest := range []string{"001", "002", "003", "004", "005", "006", "007", "008", "009", "099"} {
		list = append(list, sandboxPrefix+Number(rest))
	}
	return list
}
