package person

import (
	"database/sql"
	"maps"
	"slices"
	"strings"

	"example.com/griot/internal/db"
)

// An alias is the form of an address that a provider has acknowledged under another form: in some countries, a
// person's number at WhatsApp differs from the number that people dial. Aliases are stored per account, and name the
// provider's form as the person. A WhatsApp ID whose number the account knows is an alias of the number ([Key.Join]).
// An alias refers directly to the person, never to another alias.

// Resolved returns the SQL expression for the person of a form: the person's form if the form is an alias, and
// otherwise the form itself. account and form are SQL expressions.
func Resolved(account, form string) string {
	return `COALESCE((SELECT pa.person FROM person_aliases pa WHERE pa.account_id = ` + account + ` AND pa.alias = ` + form + `), ` + form + `)`
}

// Find returns the person that has an address in an account, as the person's form.
func Find(q *db.Query, accountID, address string) (person string, err error) {
	person = Form(address)
	_, err = q.Row(`SELECT person FROM person_aliases WHERE account_id = $1 AND alias = $2`, accountID, person).Scan(&person)
	return person, err
}

// formsAtOnce is the number of forms in one statement.
const formsAtOnce = 100

// FindAll returns the persons for those of an account's forms that are aliases.
func FindAll(q *db.Query, accountID string, forms []string) (map[string]string, error) {
	out := map[string]string{}
	for part := range slices.Chunk(forms, formsAtOnce) {
		in, args := db.In(2, part)
		found, err := db.Pairs(q, `SELECT alias, person FROM person_aliases WHERE account_id = $1 AND alias IN (`+in+`)`, append([]any{accountID}, args...)...)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, found)
	}
	return out, nil
}

// maxForms is the maximum number of forms of one person that are looked up.
const maxForms = 100

// Forms returns the forms of a person in an account: the person's own, and the aliases.
func Forms(q *db.Query, accountID, person string) ([]string, error) {
	forms := []string{person}
	err := q.Page(maxForms, func(rows *sql.Rows) error {
		var alias string
		err := rows.Scan(&alias)
		forms = append(forms, alias)
		return err
	}, `SELECT alias FROM person_aliases WHERE account_id = $1 AND person = $2 ORDER BY alias`, accountID, person)
	return forms, err
}

// Addresses returns the spellings under which a list finds the messages to an address: those of each form of its person.
func Addresses(q *db.Query, accountID, address string) (out []string, err error) {
	person, err := Find(q, accountID, address)
	if err != nil {
		return nil, err
	}
	forms, err := Forms(q, accountID, person)
	for _, form := range forms {
		out = append(out, spellings(form)...)
	}
	return out, err
}

// Learn records that a provider has acknowledged a message to an address under the person's ID at the provider. From
// then on, the account's data under the form of the address belongs to the person. It reports whether the alias is
// new.
//
// A row that another transaction writes under the form of the address at the same moment stays there: a count that is
// too low by one, or a code, which is looked up under both.
func Learn(tx *db.Tx, accountID, address, providerID string) (fresh bool, err error) {
	person, err := Find(&tx.Query, accountID, providerID)
	if err != nil {
		return false, err
	}
	alias, err := Find(&tx.Query, accountID, address)
	if err != nil || alias == person {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO person_aliases (account_id, alias, person) VALUES ($1, $2, $3) ON CONFLICT (account_id, alias) DO NOTHING`, accountID, alias, person)
	if err != nil || n == 0 {
		return false, err
	}
	for i, text := range joins {
		if i == conversationsFrom {
			if err := joinConversations(tx, accountID, alias, person); err != nil {
				return false, err
			}
		}
		args := []any{accountID, alias, person}
		if !strings.Contains(text, "$3") {
			args = args[:2]
		}
		if _, err := tx.Exec(text, args...); err != nil {
			return false, err
		}
	}
	return true, nil
}

// conversationsFrom is the index in joins before which conversations are joined.
const conversationsFrom = 3

// joins are the statements that assign an account's ($1) data under an alias ($2) to its person ($3). They lock rows
// in the order of acceptances: limits, conversations ([joinConversations]), and the others. If both have a row and the
// rows cannot be joined, the person's row stays.
var joins = []string{
	`UPDATE person_aliases SET person = $3 WHERE account_id = $1 AND person = $2`,
	`INSERT INTO recipient_counts (account_id, recipient, day, used) SELECT account_id, $3, day, used FROM recipient_counts WHERE account_id = $1 AND recipient = $2
 ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = recipient_counts.used + excluded.used`,
	`DELETE FROM recipient_counts WHERE account_id = $1 AND recipient = $2`,
	`UPDATE opt_outs SET person = $3 WHERE account_id = $1 AND person = $2 AND NOT EXISTS (SELECT 1 FROM opt_outs o WHERE o.account_id = $1 AND o.channel = opt_outs.channel AND o.person = $3)`,
	`DELETE FROM opt_outs WHERE account_id = $1 AND person = $2`,
	`UPDATE opt_out_keywords SET person = $3 WHERE account_id = $1 AND person = $2 AND NOT EXISTS (SELECT 1 FROM opt_out_keywords o WHERE o.account_id = $1 AND o.channel = opt_out_keywords.channel AND o.person = $3)`,
	`DELETE FROM opt_out_keywords WHERE account_id = $1 AND person = $2`,
	`UPDATE otp_challenges SET address = $3 WHERE account_id = $1 AND address = $2`,
	`UPDATE otp_rates SET turn = (SELECT max(r.turn) FROM otp_rates r WHERE r.account_id = $1 AND r.address IN ($2, $3)) WHERE account_id = $1 AND address = $3`,
	`UPDATE otp_rates SET address = $3 WHERE account_id = $1 AND address = $2 AND NOT EXISTS (SELECT 1 FROM otp_rates r WHERE r.account_id = $1 AND r.address = $3)`,
}
