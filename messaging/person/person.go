package person

import (
	"encoding/base64"
	"strings"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
)

// Key makes pseudonyms.
type Key struct{ key *seal.Lasting }

// Purpose is that of the secret which pseudonyms are made with. It outlasts the master key: who has opted out and was erased
// is found by their pseudonym.
const Purpose = "person-pseudonym"

// NewKey returns the key of a master key.
func NewKey(k *seal.Key) *Key { return &Key{k.Lasting(Purpose)} }

const (
	pseudonymPrefix = "erased-"
	pseudonymSize   = 15 // bytes of the MAC
)

// Pseudonym returns what stands for an address in an account: E.164 digits or an e-mail address.
func (k *Key) Pseudonym(accountID, address string) string {
	mac := k.key.MAC(accountID, strings.ToLower(address))
	return pseudonymPrefix + base64.RawURLEncoding.EncodeToString(mac[:pseudonymSize])
}

// IsPseudonym reports whether an address is that of somebody who was erased.
func IsPseudonym(address string) bool { return strings.HasPrefix(address, pseudonymPrefix) }

// Person is somebody that an account knows.
type Person struct {
	AccountID string
	Address   string // E.164 digits, or an e-mail address
	Email     bool
	Pseudonym string
}

// New returns who has an address: digits, or what has an @.
func (k *Key) New(accountID, address string) *Person {
	return &Person{accountID, address, strings.Contains(address, "@"), k.Pseudonym(accountID, address)}
}

// Has reports whether an address is the person's: a number with or without its plus, an e-mail address in any case.
func (p *Person) Has(address string) bool {
	if p.Email {
		return strings.EqualFold(address, p.Address)
	}
	n, ok := phone.Parse(address)
	return ok && string(n) == p.Address
}

// Shown is the address as answers show it.
func (p *Person) Shown() string { return phone.Shown(p.Address) }
