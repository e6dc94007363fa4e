package webhooks

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// PersonPage reads the next n of an account's events before an ID, latest first, and returns those about a person: to
// or from them, or about a message to them, as reported by isTheirs. before is "" for the first page, and next is ""
// after the last.
func PersonPage(q *db.Query, p *person.Person, isTheirs func(messageIDs []string) (map[string]bool, error), before string, n int) (list []*Event, next string, err error) {
	type read struct {
		*Event

		theirs bool
		about  string // a message
	}
	var all []read
	var about []string
	where, args := ``, []any{p.AccountID}
	if before != "" {
		where, args = ` AND id < $2`, append(args, before)
	}
	err = q.Page(n, func(rows *sql.Rows) error {
		e, err := scanEvent(rows.Scan)
		if err != nil {
			return err
		}
		var b struct {
			MessageID, From, FromID, To, OldNumber, NewNumber, OldID, NewID string
			Channel                                                         gateway.Channel
		}
		_ = json.Unmarshal([]byte(e.Body), &b) // an event that is not JSON concerns no person
		if b.Channel == gateway.SMS && e.isReceived() && !strings.HasPrefix(b.From, "+") {
			b.From = phone.Local(b.From)
		}
		r := read{Event: e, theirs: e.isReceived() && (p.Has(b.From) || p.Has(b.FromID)) || e.Type == MessageStatus && p.Has(b.To) ||
			e.Type == NumberChanged && slices.ContainsFunc([]string{b.OldNumber, b.NewNumber, b.OldID, b.NewID}, func(s string) bool { return s != "" && p.Has(s) })}
		if e.Type == MessageStatus && b.To != p.Pseudonym {
			r.about, about = b.MessageID, append(about, b.MessageID)
		}
		all = append(all, r)
		return nil
	}, `SELECT `+eventColumns+` FROM webhook_events WHERE account_id = $1`+where+` ORDER BY id DESC`, args...)
	if err != nil || len(all) == 0 {
		return nil, "", err
	}
	if len(all) >= n {
		next = all[len(all)-1].ID
	}
	messages, err := isTheirs(about)
	if err != nil {
		return nil, "", err
	}
	for _, r := range all {
		if r.theirs || messages[r.about] {
			list = append(list, r.Event)
		}
	}
	return list, next, nil
}

// Erase replaces a person's data in an event's body and in the endpoint's responses. The event itself stays.
func Erase(tx *db.Tx, e *Event, pseudonym string) error {
	body, err := eraseBody(e, pseudonym)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE webhook_events SET body = $1, first_answer = CASE WHEN first_answer IS NOT NULL THEN '' END WHERE account_id = $2 AND id = $3`, body, e.AccountID, e.ID); err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE webhook_attempts SET answer = '' WHERE account_id = $1 AND event_id = $2`, e.AccountID, e.ID)
	return err
}

func eraseBody(e *Event, pseudonym string) (string, error) {
	if e.Type == MessageReceived {
		var b receivedBody
		if err := json.Unmarshal([]byte(e.Body), &b); err != nil {
			return "", err
		}
		b.FromID, b.FromUsername = "", ""
		b.From, b.Name, b.Text, b.MediaURL, b.MediaMissing, b.FileName, b.Choice, b.Response = pseudonym, nil, "", nil, nil, nil, nil, nil
		return encode(b), nil
	}
	if e.Type == NumberChanged {
		var b movedBody
		if err := json.Unmarshal([]byte(e.Body), &b); err != nil {
			return "", err
		}
		b.OldNumber, b.NewNumber, b.OldID, b.NewID = nil, &pseudonym, nil, nil
		return encode(b), nil
	}
	if e.isReceived() {
		var b revisedBody
		if err := json.Unmarshal([]byte(e.Body), &b); err != nil {
			return "", err
		}
		if b.From, b.FromID, b.FromUsername = pseudonym, "", ""; b.Text != nil {
			b.Text = new(string)
		}
		return encode(b), nil
	}
	var b statusBody
	if err := json.Unmarshal([]byte(e.Body), &b); err != nil {
		return "", err
	}
	b.To, b.ProviderMessageID, b.IdempotencyKey, b.Metadata = pseudonym, nil, nil, message.Metadata(nil)
	return encode(b), nil
}
