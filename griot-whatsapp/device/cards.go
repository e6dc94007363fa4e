package device

import (
	"cmp"
	"io"
	"mime/quotedprintable"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.mau.fi/whatsmeow/proto/waE2E"
)

// Limits for parsing contact cards. The limits for names and numbers are the same as in Griot's Cloud API gateway.
const (
	maxCards       = 100       // per message
	maxCardSize    = 256 << 10 // in bytes; a card can contain a picture, which usually follows the numbers
	maxCardNumbers = 10        // per card
	maxCardName    = 200       // in characters
)

// placeText returns "lat,long name, address", as Griot's Cloud API gateway does. A coordinate is nil if the phone did not send it.
func placeText(latitude, longitude *float64, name, address string) string {
	place := strings.TrimSpace(name)
	if address = strings.TrimSpace(address); place == "" {
		place = address
	} else if address != "" && address != place {
		place += ", " + address
	}
	if latitude == nil || longitude == nil {
		return place
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return strings.TrimSpace(number(*latitude) + "," + number(*longitude) + " " + place)
}

// contactsText returns contacts as "name number number, name number", as Griot's Cloud API gateway does.
func contactsText(cards ...*waE2E.ContactMessage) string {
	var all []string
	for _, c := range cards[:min(len(cards), maxCards)] {
		if text := readCard(c.GetVcard()).text(c.GetDisplayName()); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// card contains the parsed properties of a vCard.
type card struct {
	formatted string // FN
	name      string // N, with the given name first
	org       string
	numbers   []string
}

// text returns the card's name, or displayName if the card has no name, and the card's numbers.
func (c *card) text(displayName string) string {
	words := strings.Fields(cmp.Or(strings.TrimSpace(c.formatted), strings.TrimSpace(displayName), strings.TrimSpace(c.name), c.org))
	if title := []rune(strings.Join(words, " ")); len(title) > maxCardName {
		words = []string{string(title[:maxCardName])}
	}
	return strings.Join(append(words, c.numbers...), " ")
}

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	unfolded = strings.NewReplacer("\n ", "", "\n\t", "") // a line that starts with a space continues the previous line
)

// readCard parses a vCard of version 2.1, 3.0, or 4.0. It skips lines that it cannot parse.
func readCard(text string) *card {
	var c card
	lines := strings.Split(unfolded.Replace(lineEnds.Replace(text[:min(len(text), maxCardSize)])), "\n")
	for i := 0; i < len(lines); i++ {
		head, value, ok := cutProperty(lines[i])
		if !ok {
			continue
		}
		key, params, _ := strings.Cut(strings.ToUpper(head), ";")
		if dot := strings.LastIndexByte(key, '.'); dot >= 0 { // with a group, such as item1.TEL
			key = key[dot+1:]
		}
		if strings.Contains(params, "QUOTED-PRINTABLE") {
			var begun strings.Builder
			for ; strings.HasSuffix(value, "=") && i+1 < len(lines); i++ {
				begun.WriteString(strings.TrimSuffix(value, "="))
				value = lines[i+1]
			}
			value = begun.String() + value
			if decoded, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value))); err == nil {
				value = string(decoded)
			}
		}
		c.set(strings.TrimSpace(key), params, value)
	}
	return &c
}

// cutProperty cuts a line at the colon before the value. A colon in quotation marks belongs to a parameter.
func cutProperty(line string) (head, value string, ok bool) {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ':' && !quoted:
			return line[:i], line[i+1:], true
		}
	}
	return strings.Cut(line, ":") // there is no second quotation mark
}

// set stores a property of the card. For names, the first property wins.
func (c *card) set(key, params, value string) {
	value = strings.ToValidUTF8(strings.ReplaceAll(value, "\x00", ""), "\uFFFD")
	switch key {
	case "FN":
		c.formatted = cmp.Or(c.formatted, unescape(value))
	case "N":
		family, further := cutList(value)
		given, _ := cutList(further)
		c.name = cmp.Or(c.name, strings.TrimSpace(unescape(given)+" "+unescape(family)))
	case "ORG":
		name, _ := cutList(value)
		c.org = cmp.Or(c.org, unescape(name))
	case "TEL":
		if number := cardNumber(value, params); number != "" && len(c.numbers) < maxCardNumbers && !slices.Contains(c.numbers, number) {
			c.numbers = append(c.numbers, number)
		}
	}
}

// cutList cuts a value at its first unescaped semicolon.
func cutList(value string) (first, further string) {
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case ';':
			return value[:i], value[i+1:]
		}
	}
	return value, ""
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, " ", `\N`, " ", `\,`, ",", `\;`, ";", `\:`, ":")

func unescape(value string) string { return escapes.Replace(value) }

// cardNumber returns a number of a card without spaces and punctuation. If the number is in a national format and the
// parameter waid contains WhatsApp's number of the owner, it returns WhatsApp's number.
func cardNumber(written, params string) string {
	written = strings.TrimSpace(written)
	if len(written) >= 4 && strings.EqualFold(written[:4], "tel:") {
		written, _, _ = strings.Cut(written[4:], ";")
	}
	id := ""
	for p := range strings.SplitSeq(params, ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(p), "WAID="); ok {
			id = strings.Trim(v, `"`)
		}
	}
	number := digits(written)
	switch {
	case len(number) > 20:
		return ""
	case isInternational(written) && number != "":
		return "+" + number
	case id != "" && len(id) <= 20 && digits(id) == id:
		return "+" + id
	}
	return number
}

// isInternational reports whether there is a plus sign before the first digit.
func isInternational(written string) bool {
	written = strings.TrimLeftFunc(written, func(r rune) bool { return r != '+' && r != '＋' && !unicode.IsDigit(r) })
	return strings.HasPrefix(written, "+") || strings.HasPrefix(written, "＋")
}

// digits returns the digits in a text, converted from any script to 0 to 9. It relies on Unicode, which lists the ten
// digits of each script in order.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsDigit(r) {
			return -1
		}
		zero := r
		for unicode.IsDigit(zero - 1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, s)
}
