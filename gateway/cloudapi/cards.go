package cloudapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/internal/phone"
)

// Limits for parsing contact cards.
const (
	maxCards       = 100 // per message
	maxCardNumbers = 10  // per card
	maxCardName    = 200 // in characters
)

// locationText returns "lat,long name, address", or "" if there is no location.
func locationText(part json.RawMessage) string {
	var l struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
		Name      word    `json:"name"`
		Address   word    `json:"address"`
	}
	if json.Unmarshal(part, &l) != nil {
		return ""
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	place := strings.TrimSpace(string(l.Name))
	if address := strings.TrimSpace(string(l.Address)); place == "" {
		place = address
	} else if address != "" && address != place {
		place += ", " + address
	}
	return strings.TrimSpace(number(l.Latitude) + "," + number(l.Longitude) + " " + place)
}

// card is a contact that a person has sent. Parts of other types than documented are empty.
type card struct {
	Origin word `json:"origin"`
	VCard  word `json:"vcard"`
	Name   struct {
		Formatted word `json:"formatted_name"`
		First     word `json:"first_name"`
		Last      word `json:"last_name"`
	} `json:"name"`
	Org struct {
		Company word `json:"company"`
	} `json:"org"`
	Phones list `json:"phones"`
}

// cardPhone is a number of a card.
type cardPhone struct {
	Phone word `json:"phone"`
	ID    word `json:"wa_id"`
}

// cards returns the readable contacts of a message, up to a limit. all reports whether they are all of them.
func cards(part json.RawMessage) (found []card, all bool) {
	var items list
	_ = json.Unmarshal(part, &items) // never fails
	for _, raw := range items[:min(len(items), maxCards)] {
		var c card
		if read(raw, &c) {
			found = append(found, c)
		}
	}
	return found, len(found) == len(items)
}

// contactsText returns the contacts as "name number number, name number".
func contactsText(part json.RawMessage) string {
	var all []string
	found, _ := cards(part)
	for i := range found {
		if text := found[i].text(); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// text returns the contact as "name number number".
func (c *card) text() string {
	first := strings.TrimSpace(string(c.Name.First + " " + c.Name.Last))
	words := strings.Fields(cmp.Or(strings.TrimSpace(string(c.Name.Formatted)), first, string(c.Org.Company)))
	if title := []rune(strings.Join(words, " ")); len(title) > maxCardName {
		words = []string{string(title[:maxCardName])}
	}
	var numbers []string
	for _, raw := range c.Phones {
		var p cardPhone
		_ = read(raw, &p)
		if number := cardNumber(string(p.Phone), string(p.ID)); number != "" && len(numbers) < maxCardNumbers && !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	return strings.Join(append(words, numbers...), " ")
}

// sharedNumber returns the number that a person has shared with WhatsApp's button, which WhatsApp reports as the origin
// contact_request, of the message or of the contact. It returns "" for any other contact, even beside such a one, and
// unless there is exactly one number: the rest can be anybody's.
func sharedNumber(origin word, part json.RawMessage) string {
	const byButton = "contact_request"
	found, all := cards(part)
	if !all || len(found) != 1 || len(found[0].Phones) != 1 || found[0].VCard != "" {
		return ""
	}
	for _, o := range []word{origin, found[0].Origin} {
		if o != "" && o != byButton {
			return ""
		}
	}
	var p cardPhone
	if cmp.Or(origin, found[0].Origin) != byButton || !read(found[0].Phones[0], &p) {
		return ""
	}
	written := phone.Unformatted(string(p.Phone))
	fromPhone, isNumber := phone.Parse(written)
	fromID, isID := phone.Parse(string(p.ID))
	switch {
	case written != "" && !isNumber, isID && isNumber && fromID.Long() != fromPhone.Long():
		return ""
	case isID:
		return string(fromID)
	case isNumber && strings.HasPrefix(written, "+"):
		return string(fromPhone)
	}
	return ""
}

// cardNumber returns a number of a card without spaces and punctuation. If the number is in a national format and
// WhatsApp knows its owner, it returns WhatsApp's number.
func cardNumber(written, id string) string {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	written = phone.Unformatted(written)
	number := digits(written)
	switch international := strings.HasPrefix(written, "+"); {
	case len(number) > 20:
		return ""
	case international && number != "":
		return "+" + number
	case id != "" && len(id) <= 20 && digits(id) == id:
		return "+" + id
	}
	return number
}
