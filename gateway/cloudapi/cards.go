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

// locationText returns "lat,long name, address".
func locationText(part json.RawMessage) (string, error) {
	var l struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
		Name      string  `json:"name"`
		Address   string  `json:"address"`
	}
	err := json.Unmarshal(part, &l)
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	place := strings.TrimSpace(l.Name)
	if address := strings.TrimSpace(l.Address); place == "" {
		place = address
	} else if address != "" && address != place {
		place += ", " + address
	}
	return strings.TrimSpace(number(l.Latitude) + "," + number(l.Longitude) + " " + place), err
}

// contactsText returns the contacts as "name number number, name number".
func contactsText(part json.RawMessage) (string, error) {
	var cards []json.RawMessage
	if err := json.Unmarshal(part, &cards); err != nil {
		return "", err
	}
	var all []string
	for _, raw := range cards[:min(len(cards), maxCards)] {
		if card := cardText(raw); card != "" {
			all = append(all, card)
		}
	}
	return strings.Join(all, ", "), nil
}

// cardText returns one contact, or "" if it cannot be read.
func cardText(raw json.RawMessage) string {
	var c struct {
		Name   json.RawMessage
		Org    json.RawMessage
		Phones json.RawMessage
	}
	var name struct {
		Formatted string `json:"formatted_name"`
		First     string `json:"first_name"`
		Last      string `json:"last_name"`
	}
	var org struct{ Company string }
	var phones []json.RawMessage
	_ = json.Unmarshal(raw, &c) // unreadable parts are left out
	_ = json.Unmarshal(c.Name, &name)
	_ = json.Unmarshal(c.Org, &org)
	_ = json.Unmarshal(c.Phones, &phones)
	words := strings.Fields(cmp.Or(strings.TrimSpace(name.Formatted), strings.TrimSpace(name.First+" "+name.Last), org.Company))
	if title := []rune(strings.Join(words, " ")); len(title) > maxCardName {
		words = []string{string(title[:maxCardName])}
	}
	var numbers []string
	for _, raw := range phones {
		var p struct {
			Phone string
			ID    string `json:"wa_id"`
		}
		_ = json.Unmarshal(raw, &p)
		if number := cardNumber(p.Phone, p.ID); number != "" && len(numbers) < maxCardNumbers && !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	return strings.Join(append(words, numbers...), " ")
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
	written = phone.Typed(written)
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
