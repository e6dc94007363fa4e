package cloudapi

import (
	"cmp"
	"regexp"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// person is a person as Meta reports them. WhatsApp hides the number of people with a username, so any part can be
// empty.
type person struct {
	number string // E.164 digits
	gateway.PersonID
	name string // that the person has chosen
}

// personOf returns the person with a number, a business-scoped user ID, and an ID in the parent portfolio. Meta omits
// what it hides; the number can also be empty, or be the ID.
func personOf(number, id, parent word) person {
	p := person{PersonID: gateway.PersonID{ID: cmp.Or(businessID(id), businessID(number))}}
	if n, ok := phone.Parse(string(number)); ok {
		p.number = string(n)
	}
	if id, ok := whatsappid.Parse(string(parent)); ok && id.Parent() {
		p.ParentID = string(id)
	}
	return p
}

// businessID returns a business-scoped user ID as it is, and "" for anything else.
func businessID(s word) string {
	if id, ok := whatsappid.Parse(string(s)); ok && !id.Linked() {
		return string(id)
	}
	return ""
}

// isKnown reports whether the person can be told from others.
func (p *person) isKnown() bool { return p.number != "" || p.ID != "" || p.ParentID != "" }

// in returns the person's IDs with their scope.
func (p *person) in(portfolio string) gateway.PersonID {
	id := p.PersonID
	if id != (gateway.PersonID{}) {
		id.Portfolio = portfolio
	}
	return id
}

// matches reports whether a contact is the person: by the ID, or by the number if one of them has no ID.
func (p *person) matches(contact *person) bool {
	if p.ID != "" && contact.ID != "" {
		return p.ID == contact.ID
	}
	return p.number != "" && p.number == contact.number
}

// with returns the person with what a contact adds.
func (p *person) with(contact *person) person {
	return person{cmp.Or(p.number, contact.number), gateway.PersonID{
		ID: cmp.Or(p.ID, contact.ID), ParentID: cmp.Or(p.ParentID, contact.ParentID), Username: cmp.Or(p.Username, contact.Username),
	}, cmp.Or(p.name, contact.name)}
}

var username = regexp.MustCompile(`\A[0-9A-Za-z._]{1,64}\z`)

// people returns the contacts of a value.
func (v *value) people() (all []person) {
	for _, raw := range v.Contacts {
		var c struct {
			Number  word `json:"wa_id"`
			ID      word `json:"user_id"`
			Parent  word `json:"parent_user_id"`
			Profile struct {
				Name     word `json:"name"`
				Username word `json:"username"`
			} `json:"profile"`
		}
		if !read(raw, &c) {
			continue
		}
		p := personOf(c.Number, c.ID, c.Parent)
		p.name = string(c.Profile.Name)
		p.Username = username.FindString(strings.TrimPrefix(string(c.Profile.Username), "@"))
		all = append(all, p)
	}
	return all
}

// complete returns a person with what the contacts add. If an item has no person and nothing else in the value could
// belong to the only contact, it is this contact's. Without an own ID, the person is known by the parent ID.
func (r *report) complete(p person, isOnlyItem bool) person {
	for i := range r.contacts {
		if p.matches(&r.contacts[i]) || isOnlyItem && !p.isKnown() && len(r.contacts) == 1 {
			p = p.with(&r.contacts[i])
			break
		}
	}
	p.ID = cmp.Or(p.ID, p.ParentID)
	return p
}
