package device

import (
	"testing"
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

// Whatever WhatsApp responds about the restriction, it ends within a year.
func FuzzTimelock(f *testing.F) {
	f.Add(`{"xwa2_fetch_account_reachout_timelock":{"is_active":true,"time_enforcement_ends":"1798675200"}}`)
	f.Add(`{"xwa2_fetch_account_reachout_timelock":{"is_active":true,"time_enforcement_ends":9223372036854775807}}`)
	f.Add(`{"xwa2_fetch_account_reachout_timelock":null}`)
	f.Fuzz(func(t *testing.T, answer string) {
		now := time.Unix(1_790_000_000, 0)
		lock, known := parseTimelock([]byte(answer))
		until := lock.until(now)
		if !known && lock != (timelock{}) || lock.Active != until.After(now) || !lock.Active != until.IsZero() || until.After(now.AddDate(1, 0, 0)) {
			t.Errorf("%+v, %v, until %v", lock, known, until)
		}
	})
}

// A response about a number can have any form. It never says two things, and a person in it has a valid number and ID.
func FuzzLookup(f *testing.F) {
	f.Add("user", "contact", "in", "551187654321", "s.whatsapp.net", "200001", "lid")
	f.Add("user", "contact", "out", "551187654321", "hosted", "", "")
	f.Add("user", "error", "", "x", "hosted.lid", "0", "lid")
	f.Fuzz(func(t *testing.T, tag, child, kind, number, numberServer, id, idServer string) {
		l := lookupOf(&waBinary.Node{Content: []waBinary.Node{{
			Tag: tag, Attrs: waBinary.Attrs{"pn_jid": types.NewJID(number, numberServer), "jid": types.NewJID(id, idServer)},
			Content: []waBinary.Node{{Tag: child, Attrs: waBinary.Attrs{"type": kind}, Content: []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": kind}}}}},
		}}})
		if p := l.person; l.is && l.isNot || p.Number != "" && numberOf(types.NewJID(p.Number, types.DefaultUserServer)) == "" || p.ID != "" && lidOf(lidAddress(p.ID)) != p.ID {
			t.Errorf("%+v", l)
		}
	})
}
