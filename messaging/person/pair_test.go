package person_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/person"
)

const (
	awaID     = "ML.9001"
	awaNumber = "22376000001"
)

func newKey(t *testing.T) *person.Key {
	t.Helper()
	master, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return person.NewKey(master)
}

// write executes statements and functions in one transaction.
func write(t *testing.T, d *db.DB, fn func(tx *db.Tx) error) {
	t.Helper()
	if err := d.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func exec(t *testing.T, d *db.DB, text string, args ...any) {
	t.Helper()
	write(t, d, func(tx *db.Tx) error {
		_, err := tx.Exec(text, args...)
		return err
	})
}

func join(t *testing.T, d *db.DB, k *person.Key, id, number string) (changed bool) {
	t.Helper()
	write(t, d, func(tx *db.Tx) (err error) {
		changed, err = k.Join(tx, "a", id, number)
		return err
	})
	return changed
}

func separate(t *testing.T, d *db.DB, id string) (separated bool) {
	t.Helper()
	write(t, d, func(tx *db.Tx) (err error) {
		separated, err = person.Separate(tx, "a", id)
		return err
	})
	return separated
}

func find(t *testing.T, d *db.DB, address string) string {
	t.Helper()
	got, err := person.Find(d.Read(t.Context()), "a", address)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// count reads one number.
func count(t *testing.T, d *db.DB, query string, args ...any) (n int) {
	t.Helper()
	if _, err := d.Read(t.Context()).Row(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestJoin(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := newKey(t)
		for _, pair := range [][2]string{{"", awaNumber}, {awaID, ""}, {awaNumber, awaID}, {"awa@example.com", awaNumber}, {awaID, "ML.9002"}} {
			if join(t, d, k, pair[0], pair[1]) {
				t.Errorf("%q was joined", pair)
			}
		}
		if !join(t, d, k, awaID, awaNumber) || join(t, d, k, awaID, "+"+awaNumber) {
			t.Fatal("a pair is new once")
		}
		if got := find(t, d, awaID); got != awaNumber {
			t.Errorf("the ID belongs to %q", got)
		}
		for _, c := range []struct {
			id, number string
			want       bool
		}{{awaID, "22376000009", false}, {"ML.9009", awaNumber, false}, {awaID, awaNumber, true}, {awaID, awaNumber, false}} {
			if err := d.Write(t.Context(), func(tx *db.Tx) error {
				separated, err := person.SeparateAll(tx, c.id, c.number)
				if separated != c.want {
					t.Errorf("%s and %s: separated %v, want %v", c.id, c.number, separated, c.want)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if got := find(t, d, awaID); got != awaID {
			t.Errorf("after it, the ID belongs to %q", got)
		}
		join(t, d, k, awaID, awaNumber)
		if !separate(t, d, awaID) || separate(t, d, awaID) || separate(t, d, awaNumber) {
			t.Error("a pair ends once")
		}
		if got := find(t, d, awaID); got != awaID {
			t.Errorf("after it, the ID belongs to %q", got)
		}
	})
}

// An ID that was joined with one number and is reported with another never joins the two numbers.
// Rules: M197.
func TestJoin_WithAnotherNumberJoinsNoNumbers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const other = "22376000002"
		k := newKey(t)
		join(t, d, k, awaID, awaNumber)
		exec(t, d, `INSERT INTO opt_outs (account_id, channel, person, address, reason, at) VALUES ('a', 'whatsapp', $1, $1, 'said', 1)`, awaNumber)
		if !join(t, d, k, awaID, other) {
			t.Fatal("the new pair was not joined")
		}
		if find(t, d, awaNumber) != awaNumber || find(t, d, other) != other || find(t, d, awaID) != other {
			t.Errorf("the persons are %q, %q, and %q", find(t, d, awaNumber), find(t, d, other), find(t, d, awaID))
		}
		if n := count(t, d, `SELECT count(*) FROM opt_outs WHERE person IN ($1, $2)`, awaNumber, other); n != 2 {
			t.Errorf("%d opt-outs, want that of the first number to apply to both", n)
		}
	})
}

// Limits and opt-outs of both halves apply to the pair, and to both halves after it has ended. Opt-outs from SMS stay
// with the number.
// Rules: M197.
func TestPair_LimitsAndOptOuts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := newKey(t)
		for recipient, used := range map[string]int{awaID: 2, awaNumber: 3} {
			exec(t, d, `INSERT INTO recipient_counts (account_id, recipient, day, used) VALUES ('a', $1, 20000, $2)`, recipient, used)
		}
		exec(t, d, `INSERT INTO opt_outs (account_id, channel, person, address, reason, at) VALUES ('a', 'whatsapp', $1, $1, 'said', 1), ('a', 'sms', $2, $2, 'said', 1)`, awaID, awaNumber)
		exec(t, d, `INSERT INTO opt_out_keywords (account_id, channel, person, at) VALUES ('a', 'whatsapp', $1, 1)`, awaID)
		join(t, d, k, awaID, awaNumber)
		if n := count(t, d, `SELECT used FROM recipient_counts WHERE recipient = $1`, awaNumber); n != 5 {
			t.Errorf("%d messages are counted for the pair, want 5", n)
		}
		if n := count(t, d, `SELECT count(*) FROM opt_outs WHERE person = $1`, awaNumber); n != 2 {
			t.Errorf("%d opt-outs of the pair, want 2", n)
		}
		separate(t, d, awaID)
		for _, of := range []string{awaID, awaNumber} {
			if n := count(t, d, `SELECT used FROM recipient_counts WHERE recipient = $1`, of); n != 5 {
				t.Errorf("after it, %d messages are counted for %s, want 5", n, of)
			}
			if n := count(t, d, `SELECT count(*) FROM opt_outs WHERE channel = 'whatsapp' AND person = $1`, of) + count(t, d, `SELECT count(*) FROM opt_out_keywords WHERE person = $1`, of); n != 2 {
				t.Errorf("after it, %d rows of the STOP of %s, want 2", n, of)
			}
		}
		if n := count(t, d, `SELECT count(*) FROM opt_outs WHERE channel = 'sms' AND person = $1`, awaID); n != 0 {
			t.Error("the ID is opted out of SMS")
		}
	})
}

// The opt-out of an erased half is kept under its pseudonym and applies to the pair.
// Rules: M197.
func TestJoin_ErasedHalf(t *testing.T) {
	t.Parallel()
	for _, erased := range []string{awaID, awaNumber} {
		t.Run(erased, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				k := newKey(t)
				exec(t, d, `INSERT INTO opt_outs (account_id, channel, person, address, reason, at) VALUES ('a', 'whatsapp', $1, $1, 'said', 1)`, k.Pseudonym("a", erased))
				join(t, d, k, awaID, awaNumber)
				for _, address := range []string{awaID, awaNumber} {
					if n := count(t, d, `SELECT count(*) FROM opt_outs WHERE person = $1`, find(t, d, k.Pseudonym("a", address))); n != 1 {
						t.Errorf("the opt-out does not apply to %s", address)
					}
				}
			})
		})
	}
}

// A person whose name, preview, and messages were in two conversations has one after the pair is known, without an unread message that
// counts as read.
func TestJoin_TwoConversations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ unreadID, unreadNumber, readID, readNumber int }{
		"all read": {0, 0, 4, 3}, "the ID has unread ones": {1, 0, 2, 3}, "the number has unread ones": {0, 1, 4, 1}, "both have": {1, 1, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				exec(t, d, `INSERT INTO inbox_states (account_id, revision, unread) VALUES ('a', 4, $1)`, c.unreadID+c.unreadNumber)
				exec(t, d, `INSERT INTO conversations (id, account_id, person, phone, contact_id, username, sender_id, name, last_at, last_preview, unread, read_to) VALUES
 ('cnv_1', 'a', $1, '', $1, 'awa.t', 's', NULL, 40, 'newest', $2, $3), ('cnv_2', 'a', $4, $4, NULL, NULL, 's', 'Awa', 30, 'older', $5, $6)`, awaID, c.unreadID, c.readID, awaNumber, c.unreadNumber, c.readNumber)
				for revision, conversation := range map[int]string{1: "cnv_2", 2: "cnv_1", 3: "cnv_2", 4: "cnv_1"} {
					exec(t, d, `INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at)
 VALUES ('msg_' || CAST($1 AS TEXT), 'a', $2, 'in', 'whatsapp', 'text', 'x', 'x', 's', 'p_' || CAST($1 AS TEXT), $3, $3)`, string(rune('0'+revision)), conversation, revision)
				}
				join(t, d, newKey(t), awaID, awaNumber)
				if n := count(t, d, `SELECT count(*) FROM conversations WHERE id = 'cnv_2' AND person = $1 AND phone = $1 AND contact_id = $2 AND username = 'awa.t' AND name = 'Awa' AND last_preview = 'newest' AND last_at = 40`, awaNumber, awaID); n != 1 {
					t.Error("the person's conversation does not have the data of both")
				}
				if n := count(t, d, `SELECT count(*) FROM conversations`); n != 1 {
					t.Errorf("%d conversations", n)
				}
				if n := count(t, d, `SELECT count(*) FROM inbox_messages WHERE conversation_id = 'cnv_2'`); n != 4 {
					t.Errorf("%d messages in it, want 4", n)
				}
				unread := count(t, d, `SELECT unread FROM conversations`)
				recounted := count(t, d, `SELECT count(*) FROM inbox_messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.revision > c.read_to`)
				if total := count(t, d, `SELECT unread FROM inbox_states`); unread != recounted || total != unread || unread < c.unreadID+c.unreadNumber {
					t.Errorf("unread: %d, %d in the account, %d recounted; before %d and %d", unread, total, recounted, c.unreadID, c.unreadNumber)
				}
				if n := count(t, d, `SELECT revision FROM inbox_states`); n <= 4 {
					t.Error("the revision is the same")
				}
			})
		})
	}
}
