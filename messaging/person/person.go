package person

import (
	"encoding/base64"
	"slices"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
)

// A Key creates pseudonyms.
type Key struct{ key *seal.Lasting }

// Purpose is the purpose of the secret for pseudonyms. The secret survives a change of the master key, because erased
// people who have opted out are found by their pseudonym.
const Purpose = "person-pseudonym"

// NewKey returns the key of a master key.
func NewKey(k *seal.Key) *Key { return &Key{k.Lasting(Purpose)} }

const (
	pseudonymPrefix = "erased-"
	pseudonymSize   = 15 // in bytes, of the MAC
)

// Pseudonym returns the pseudonym for an address in an account. The address is E.164 digits or an email address, in
// any spelling, or a WhatsApp ID.
func (k *Key) Pseudonym(accountID, address string) string {
	mac := k.key.MAC(accountID, Form(address))
	return pseudonymPrefix + base64.RawURLEncoding.EncodeToString(mac[:pseudonymSize])
}

// IsPseudonym reports whether an address is the pseudonym of an erased person.
func IsPseudonym(address string) bool { return strings.HasPrefix(address, pseudonymPrefix) }

// A Person is a person whom an account knows.
type Person struct {
	AccountID string
	Address   string // as given: E.164 digits, an email address, or a WhatsApp ID
	Email     bool
	Pseudonym string
	Forms     []string // each form of the person's addresses, the person's own first
}

// New returns the person with an address: digits, an email address, or a WhatsApp ID.
func (k *Key) New(q *db.Query, accountID, address string) (*Person, error) {
	own, err := Find(q, accountID, address)
	if err != nil {
		return nil, err
	}
	forms, err := Forms(q, accountID, own)
	return &Person{accountID, address, KindOf(address) == Email, k.Pseudonym(accountID, own), forms}, err
}

// Has reports whether an address belongs to the person, in any spelling.
func (p *Person) Has(address string) bool {
	return address != "" && slices.Contains(p.Forms, Form(address))
}

// Shown returns the address in the form for responses.
func (p *Person) Shown() string { return phone.Shown(p.Address) }

// Erase removes the stored forms of the person's address. If keep is set, it first stores the pseudonyms of the
// forms, so that an opt-out under the person's pseudonym stays in effect for each of them. Otherwise, the forms are
// deleted.
func (k *Key) Erase(tx *db.Tx, p *Person, keep bool) error {
	for _, form := range p.Forms[1:] {
		var err error
		if keep {
			_, err = tx.Exec(`INSERT INTO person_aliases (account_id, alias, person) VALUES ($1, $2, $3) ON CONFLICT (account_id, alias) DO NOTHING`, p.AccountID, k.Pseudonym(p.AccountID, form), p.Pseudonym)
		} else {
			_, err = tx.Exec(`DELETE FROM person_aliases WHERE account_id = $1 AND alias = $2`, p.AccountID, form)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
