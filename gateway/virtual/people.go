package virtual

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
)

// person is the identity on WhatsApp of a phone that has or once had a username. Other phones have only their number.
type person struct {
	number   string // the key of the phone's address
	owner    int    // how many people had the number before
	id       string // [personID] of number and owner
	username string // without @; empty: none anymore
	hidden   bool   // messages have no number; only with a username
}

// unknownRegion stands for the country in the IDs of numbers whose calling code several large countries share.
const unknownRegion = "ZZ"

// personID returns the fictional business-scoped ID of a number's owner. It doesn't contain the number.
func personID(number string, owner int) string {
	region := cmp.Or(phone.RegionOf(phone.Number(number).Country()), unknownRegion)
	sum := sha256.Sum256(fmt.Appendf(nil, "virtual phone %s, owner %d", number, owner))
	return fmt.Sprintf("%s.%016d", region, binary.BigEndian.Uint64(sum[:])%1e16)
}

const usernameMin, usernameMax = 3, 35

var usernameForm = regexp.MustCompile(`\A[a-z0-9._]*[a-z][a-z0-9._]*\z`)

func validUsername(s string) bool {
	return len(s) >= usernameMin && len(s) <= usernameMax && usernameForm.MatchString(s)
}

// author returns the identity that the person's messages have.
func (p person) author() author {
	return author{PersonID: p.id, Username: p.username, Hidden: p.hidden}
}

// gatewayID returns the identity as the sink gets it. The set of gateways adds the portfolio.
func (p person) gatewayID() gateway.PersonID { return gateway.PersonID{ID: p.id, Username: p.username} }

// shownNumber returns the number, or "" if it is hidden.
func (p person) shownNumber() string {
	if p.hidden {
		return ""
	}
	return p.number
}

// maxPeople is the maximum number of phones that have or had a username.
const maxPeople = 10_000

// people contains every [person]. The store has the same people.
type people struct {
	changing sync.Mutex // held while a change is stored and then added

	mu       sync.RWMutex
	byNumber map[string]person
	numbers  map[string]string // by ID
}

func (p *people) load(ctx context.Context, s store) error {
	list, err := s.people(ctx)
	p.byNumber, p.numbers = map[string]person{}, map[string]string{}
	p.put(list...)
	return err
}

func (p *people) put(list ...person) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range list {
		if before, known := p.byNumber[one.number]; known {
			delete(p.numbers, before.id)
		}
		p.byNumber[one.number], p.numbers[one.id] = one, one.number
	}
}

// find returns the person with a number or an ID. If there is none with a number, it returns a person without an ID.
func (p *people) find(address string) (found person, ok bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if found, ok = p.byNumber[cmp.Or(p.numbers[address], address)]; !ok {
		found.number = address
	}
	return found, ok
}

func (p *people) full() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.byNumber) >= maxPeople
}

// named returns the numbers with a username, in order.
func (p *people) named() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.byNumber)), func(number string) bool { return p.byNumber[number].username == "" })
}

// complete returns a receipt of a WhatsApp message with the recipient's identity. Until then, its recipient is the
// address that the message was sent to. Receipts of messages to a number always have the number, as at Meta.
func (p *people) complete(r gateway.Receipt) gateway.Receipt {
	to := r.Recipient
	r.Recipient = ""
	if found, ok := p.find(to); ok {
		r.Person, r.Recipient = found.gatewayID(), found.shownNumber()
		if to == found.number {
			r.Recipient = to
		}
	}
	return r
}

// next returns the person who gets a number after its owner, and has no username yet.
func (p person) next() person {
	return person{number: p.number, owner: p.owner + 1, id: personID(p.number, p.owner+1)}
}

// moved returns the people with other identities after a person has changed the number: the person with another ID, the
// first in the list, and the next owner of the former number. A person who never had a username still has none.
func (p *people) moved(from person, to string) []person {
	after := person{number: to}
	if from.id != "" {
		after.id = personID(to, 0)
	}
	if taken, known := p.find(to); known {
		after = taken.next()
	}
	after.username, after.hidden = from.username, from.hidden
	if from.id == "" {
		return []person{after}
	}
	return []person{after, from.next()}
}
