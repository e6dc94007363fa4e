package mailtext

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/gateway"
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
	domain, ok := aLabels(address[at+1:])
	address = address[:at+1] + domain
	return address, ok && IsAddress(address)
}

// aLabels returns a domain in A-labels. ok is false for an invalid domain.
func aLabels(domain string) (ascii string, ok bool) {
	if IsASCII(domain) {
		return domain, true
	}
	// Lower case and NFKC are the mapping of UTS #46 for input by users.
	domain = strings.ReplaceAll(norm.NFKC.String(strings.ToLower(norm.NFKC.String(domain))), "\u3002", ".")
	labels := strings.Split(domain, ".")
	for i, label := range labels {
		if !isLabel(label) {
			return "", false
		}
		if !IsASCII(label) {
			label = "xn--" + punycode([]rune(label))
		}
		if len(label) > 63 {
			return "", false
		}
		labels[i] = label
	}
	ascii = strings.Join(labels, ".")
	return ascii, len(ascii) <= 253
}

// isLabel reports whether s consists of letters with their marks, digits, inner hyphens, and the joiners that some scripts need.
func isLabel(s string) bool {
	for i, r := range s {
		within := i > 0 && (unicode.IsMark(r) || r == '-' || r == '\u200c' || r == '\u200d' || r == '\u00b7' || r == '\u30fb')
		if !within && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, "-")
}

// The parameters of RFC 3492 §5.
const (
	punyBase = 36
	punyTMin = 1
	punyTMax = 26
	punySkew = 38
	punyDamp = 700
)

// punycode encodes a label (RFC 3492 §6.3). Labels are too short for an integer overflow.
func punycode(label []rune) string {
	var out []byte
	for _, r := range label {
		if r < 0x80 {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(0x80), 0, 72
	for done := basic; done < len(label); {
		next := rune(math.MaxInt32)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			out = appendInteger(out, delta, bias)
			bias = adapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

// appendInteger appends a generalized variable-length integer, the lowest digit first.
func appendInteger(out []byte, q, bias int) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := punyBase; ; k += punyBase {
		t := min(max(k-bias, punyTMin), punyTMax)
		if q < t {
			return append(out, digits[q])
		}
		out = append(out, digits[t+(q-t)%(punyBase-t)])
		q = (q - t) / (punyBase - t)
	}
}

func adapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (punyBase-punyTMin)*punyTMax/2; k += punyBase {
		delta /= punyBase - punyTMin
	}
	return k + (punyBase-punyTMin+1)*delta/(delta+punySkew)
}
