package outbox

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	people "example.com/griot/messaging/person"
)

// countingRows records the messages whose recipients' opt-outs are read.
type countingRows struct {
	rows
	asked *[]string
}

func (r countingRows) optedOut(b *acceptBatch, of []possibleOptOut) error {
	for _, o := range of {
		*r.asked = append(*r.asked, o.message.AccountID)
	}
	return r.rows.optedOut(b, of)
}

// Opt-outs are read only for accounts that have any.
func TestAccept_ReadsOptOutsOfAccountsThatHaveSome(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		master, err := seal.ParseKey(seal.NewMasterKey())
		if err != nil {
			t.Fatal(err)
		}
		s := New(d, message.NewSweptKeys(master), people.NewKey(master), clock.System)
		accept := func() (asked []string) {
			t.Helper()
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				asked = nil
				var r rows = postgresRows{tx}
				if s.node.single {
					r = sqliteRows{tx}
				}
				var items []*Acceptance
				for n := range 3 {
					m := message.New(&message.Request{To: "+22376000001", Address: "22376000001", Channel: gateway.SMS}, fmt.Sprintf("acc_%d", n), "", clock.System())
					m.Status = message.Queued
					items = append(items, &Acceptance{Message: m, BeginUntil: clock.System().Add(time.Minute)})
				}
				return s.acceptAll(tx, countingRows{r, &asked}, []*acceptOp{{items: items}}, &counts.Log{})
			})
			if err != nil {
				t.Fatal(err)
			}
			return asked
		}
		execute(t, d, `INSERT INTO accounts (id, name, email, plan, created_at) SELECT 'acc_' || g, 'A', 'a' || g || '@example.com', 'free', 0 FROM (`+series(3)+`) AS s`)
		if asked := accept(); len(asked) != 0 {
			t.Errorf("without opt-outs, those of %v were read", asked)
		}
		err = d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := optout.Add(tx, "acc_1", gateway.WhatsApp, "22376000009", optout.Requested, clock.System())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if asked := accept(); len(asked) != 1 || asked[0] != "acc_1" {
			t.Errorf("those of %v were read, want acc_1's", asked)
		}
	})
}
