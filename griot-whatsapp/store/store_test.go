package store_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/internal/db"
	"example.com/griot/griot-whatsapp/internal/seal"
	"example.com/griot/griot-whatsapp/store"
	"example.com/griot/griot-whatsapp/storetest"
)

const number = "22376543210"

func TestStore_KeepsWhatsmeowsDevices(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		d := s.Devices.NewDevice()
		jid := types.JID{User: number, Device: 3, Server: types.DefaultUserServer}
		d.ID = &jid
		d.Account = &waAdv.ADVSignedDeviceIdentity{
			Details: []byte("details"), AccountSignature: bytes.Repeat([]byte{1}, 64), AccountSignatureKey: bytes.Repeat([]byte{2}, 32), DeviceSignature: bytes.Repeat([]byte{3}, 64),
		}
		if err := d.Save(ctx); err != nil {
			t.Fatal(err)
		}
		if err := d.Sessions.PutSession(ctx, "100001_1:0", []byte("a session")); err != nil {
			t.Fatal(err)
		}
		if err := d.EventBuffer.AddOutgoingEvent(ctx, jid, "3EB0", "wa", []byte("a message")); err != nil {
			t.Fatal(err)
		}
		keys, err := d.PreKeys.GetOrGenPreKeys(ctx, 3)
		if err != nil || len(keys) != 3 {
			t.Fatalf("made %d prekeys, %v, want 3", len(keys), err)
		}

		again := storetest.Open(t, address, storetest.Limits)
		got, err := again.Devices.GetDevice(ctx, jid)
		if err != nil || got == nil || *got.NoiseKey.Priv != *d.NoiseKey.Priv || *got.IdentityKey.Priv != *d.IdentityKey.Priv {
			t.Fatalf("the device is %v, %v, want the one that was stored", got, err)
		}
		sessions, err := got.Sessions.GetManySessions(ctx, []string{"100001_1:0", "100002_1:0"})
		if err != nil || string(sessions["100001_1:0"]) != "a session" {
			t.Errorf("the session is %q, %v, want a session", sessions["100001_1:0"], err)
		}
		if key, err := got.PreKeys.GetPreKey(ctx, keys[1].KeyID); err != nil || *key.Priv != *keys[1].Priv {
			t.Errorf("the prekey is %v, %v, want the one that was made", key, err)
		}
	})
}

func TestStore_SealsWhatIsBinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := storetest.Open(t, path, storetest.Limits)
	d := s.Devices.NewDevice()
	jid := types.JID{User: number, Device: 3, Server: types.DefaultUserServer}
	d.ID = &jid
	d.Account = &waAdv.ADVSignedDeviceIdentity{Details: []byte("details"), AccountSignature: make([]byte, 64), AccountSignatureKey: make([]byte, 32), DeviceSignature: make([]byte, 64)}
	if err := d.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(t.Context(), event("in-1", []byte("what Awa has written"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SaveMedia(t.Context(), "1", number, "in-1", []byte("the key of a picture")); err != nil {
		t.Fatal(err)
	}
	var stored []byte
	for _, name := range []string{path, path + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, b...)
	}
	for what, secret := range map[string][]byte{
		"the noise key": d.NoiseKey.Priv[:], "the identity key": d.IdentityKey.Priv[:], "the signed prekey": d.SignedPreKey.Priv[:], "a message": []byte("what Awa has written"), "an attachment's key": []byte("the key of a picture"),
	} {
		if bytes.Contains(stored, secret) {
			t.Errorf("%s can be read in the file", what)
		}
	}
	if !bytes.Contains(stored, []byte(number)) {
		t.Error("the number can't be found in the file: the test looks at the wrong one")
	}

	other, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), path, other, storetest.Limits); !errors.Is(err, store.ErrKey) {
		t.Errorf("with another master key: %v, want %v", err, store.ErrKey)
	}
}

func TestLease(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		first, err := s.Acquire(ctx, number, "a", time.Minute)
		if err != nil || first == nil || first.Epoch != 1 {
			t.Fatalf("the lease is %+v, %v, want epoch 1", first, err)
		}
		if err := s.Save(ctx, first, "a"); err != nil {
			t.Fatal(err)
		}
		if other, err := s.Acquire(ctx, number, "b", time.Minute); other != nil || err != nil {
			t.Errorf("a second holder got %+v, %v, want none", other, err)
		}
		mine, err := s.Acquire(ctx, "22376543211", "a", time.Minute)
		if err != nil || mine == nil {
			t.Fatalf("the second number's lease is %+v, %v, want one", mine, err)
		}
		if lost, err := s.Renew(ctx, []*store.Lease{first, mine}); len(lost) != 0 || err != nil {
			t.Errorf("renewing two: %v are lost, %v, want none", lost, err)
		}
		if known, err := s.Begin(ctx, first, "msg_1", "3EB01", ""); known != nil || err != nil {
			t.Errorf("the holder's reference: %+v, %v, want it new", known, err)
		}
		if err := first.Release(ctx); err != nil {
			t.Fatal(err)
		}
		second, err := s.Acquire(ctx, number, "b", time.Minute)
		if err != nil || second == nil || second.Epoch != 2 {
			t.Fatalf("the next lease is %+v, %v, want epoch 2", second, err)
		}
		if lost, err := s.Renew(ctx, []*store.Lease{first, mine}); len(lost) != 1 || lost[0] != first || err != nil {
			t.Errorf("renewing both: %v are lost, %v, want the first number's", lost, err)
		}
		if err := first.Release(ctx); err != nil {
			t.Fatal(err)
		}
		if lost, err := s.Renew(ctx, []*store.Lease{second}); len(lost) != 0 || err != nil {
			t.Errorf("the lost lease's release took the new one: %v, %v, want it to hold", lost, err)
		}
		if numbers, err := s.Numbers(ctx); err != nil || len(numbers) != 1 || !numbers[0].Held {
			t.Errorf("the numbers are %+v, %v, want one that somebody holds", numbers, err)
		}
		short, err := s.Acquire(ctx, "22376543212", "a", -time.Second)
		if err != nil || short == nil {
			t.Fatalf("a lease that is over at once is %+v, %v, want one", short, err)
		}
		if lost, err := s.Renew(ctx, []*store.Lease{short}); len(lost) != 1 || err != nil {
			t.Errorf("renewing what is over: %v are lost, %v, want that one", lost, err)
		}
		if _, err := s.Begin(ctx, first, "msg_2", "3EB02", ""); !errors.Is(err, store.ErrLease) {
			t.Errorf("a reference under the lost lease: %v, want %v", err, store.ErrLease)
		}
	})
}

func TestReferences(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		lease, err := s.Acquire(ctx, number, "a", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, reference := range []string{"msg_1", "msg_2"} {
			if known, err := s.Begin(ctx, lease, reference, "3EB0"+reference, "551187654321"); known != nil || err != nil {
				t.Fatalf("%s: %+v, %v, want it new", reference, known, err)
			}
		}
		if err := errors.Join(s.Finish(ctx, "msg_1", store.Taken), s.Forget(ctx, "msg_2"), s.Maintain(ctx)); err != nil {
			t.Fatal(err)
		}
		want := store.Reference{Reference: "msg_1", Number: number, MessageID: "3EB0msg_1", Status: store.Taken, Recipient: "551187654321"}
		if known, err := s.Begin(ctx, lease, "msg_1", "3EB0msg_1", ""); err != nil || known == nil || *known != want {
			t.Errorf("the second time: %+v, %v, want %+v", known, err, want)
		}
		if got, err := s.ByMessageID(ctx, number, "3EB0msg_1"); err != nil || got == nil || *got != want {
			t.Errorf("by the message's id: %+v, %v, want %+v", got, err, want)
		}
		if got, err := s.Reference(ctx, "msg_2"); err != nil || got != nil {
			t.Errorf("the forgotten one: %+v, %v, want none", got, err)
		}
	})
}

// event returns an event of the number that belongs to no conversation.
func event(id string, body []byte) store.NewEvent {
	return store.NewEvent{ID: id, Number: number, Body: body}
}

func TestEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, store.Limits{Events: 3, Bytes: 100})
		for _, id := range []string{"1", "2", "1", "3"} {
			if err := s.Add(ctx, event(id, []byte("event "+id))); err != nil {
				t.Fatalf("adding %s: %v", id, err)
			}
		}
		if err := s.Add(ctx, event("4", []byte("event 4"))); !errors.Is(err, store.ErrFull) {
			t.Errorf("a fourth event: %v, want %v", err, store.ErrFull)
		}
		if err := s.Add(ctx, event("1", []byte("event 1"))); err != nil {
			t.Errorf("a known event, when full: %v, want nil", err)
		}
		list, err := s.Events(ctx, 0, 2, true)
		if err != nil || len(list) != 2 || string(list[0].Body) != "event 1" {
			t.Fatalf("events are %v, %v, want the first two", list, err)
		}
		if err := s.Done(ctx, list[0].Seq); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(ctx, event("5", []byte(strings.Repeat("x", 90)))); !errors.Is(err, store.ErrFull) {
			t.Errorf("an event beyond the bytes: %v, want %v", err, store.ErrFull)
		}
		if n, err := s.Waiting(ctx); n != 2 || err != nil {
			t.Errorf("%d events wait, %v, want 2", n, err)
		}
		if w, err := s.Spool(ctx); w.Events != 2 || w.Bytes != 14 || w.Age > time.Minute || err != nil {
			t.Errorf("the spool is %+v, %v, want 2 events of 14 bytes, stored just now", w, err)
		}
	})
}

func TestMedia(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, store.Limits{Events: 10, Bytes: 1000, Media: 2, MediaKept: time.Millisecond})
		if saved, err := s.SaveMedia(ctx, "a", number, "event", []byte("a key")); !saved || err != nil {
			t.Fatalf("saving one: %v, %v, want true", saved, err)
		}
		if err := s.Add(ctx, event("event", []byte("body"))); err != nil {
			t.Fatal(err)
		}
		if saved, err := s.SaveMedia(ctx, "b", number, "event b", []byte("a key")); !saved || err != nil {
			t.Fatalf("saving a second: %v, %v, want true", saved, err)
		}
		if saved, err := s.SaveMedia(ctx, "c", number, "event c", []byte("a key")); saved || err != nil {
			t.Errorf("saving one too many: %v, %v, want false", saved, err)
		}
		time.Sleep(5 * time.Millisecond) // the database's clock
		if err := s.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		if owner, source, err := s.Media(ctx, "a"); owner != number || string(source) != "a key" || err != nil {
			t.Errorf("the attachment of a waiting event is %s %q, %v, want it kept", owner, source, err)
		}
		if owner, _, err := s.Media(ctx, "b"); owner != "" || err != nil {
			t.Errorf("the attachment of an event that is over: %s, %v, want none", owner, err)
		}
		list, err := s.Events(ctx, 0, 1, true)
		if err != nil || len(list) != 1 {
			t.Fatalf("events are %v, %v, want one", list, err)
		}
		if err := s.Done(ctx, list[0].Seq); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		if err := s.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		if owner, _, err := s.Media(ctx, "a"); owner != "" || err != nil {
			t.Errorf("the attachment after its time: %s, %v, want none", owner, err)
		}
		if _, err := s.SaveMedia(ctx, "d", number, "event d", []byte("a key")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Remove(ctx, number); err != nil {
			t.Fatal(err)
		}
		if owner, _, err := s.Media(ctx, "d"); owner != "" || err != nil {
			t.Errorf("the attachment of a removed number: %s, %v, want none", owner, err)
		}
	})
}

func TestNumbersAndPeople(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		until := time.UnixMilli(1_800_000_000_000).UTC()
		lease, err := s.Acquire(ctx, number, "a", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Save(ctx, lease, "a"), s.SetState(ctx, number, "a", "restricted", until), s.SetState(ctx, number, "older", "banned", until)); err != nil {
			t.Fatal(err)
		}
		list, err := s.Numbers(ctx)
		if err != nil || len(list) != 1 || list[0].State != "restricted" || !list[0].Until.Equal(until) || list[0].JID != "a" {
			t.Errorf("numbers are %+v, %v, want one that is restricted until %v", list, err, until)
		}
		linking := func(want map[string]string) {
			t.Helper()
			if got, err := s.Linking(ctx); err != nil || !maps.Equal(got, want) {
				t.Errorf("linking %v, %v, want %v", got, err, want)
			}
		}
		if err := errors.Join(s.SetLinking(ctx, lease, "x"), s.SetLinking(ctx, lease, "b"), s.Linked(ctx, number, "x")); err != nil {
			t.Fatal(err)
		}
		linking(map[string]string{number: "b"})
		if err := errors.Join(s.Save(ctx, lease, "b"), lease.Release(ctx)); err != nil {
			t.Fatal(err)
		}
		linking(nil)
		if err := errors.Join(s.Save(ctx, lease, "c"), s.SetLinking(ctx, lease, "c")); err == nil || err.Error() != store.ErrLease.Error()+"\n"+store.ErrLease.Error() {
			t.Errorf("saving without the lease: %v, want %v twice", err, store.ErrLease)
		}
		linking(nil)
		if list, err = s.Numbers(ctx); err != nil || len(list) != 1 || list[0].State != "" || list[0].JID != "b" {
			t.Errorf("paired again, the numbers are %+v, %v, want one without a state", list, err)
		}
		if err := errors.Join(s.NoteWriter(ctx, number, "22370000001"), s.SaveQuestion(ctx, number, "1", "3EB0", []byte("options"))); err != nil {
			t.Fatal(err)
		}
		if id, options, err := s.Question(ctx, number, "1"); id != "3EB0" || string(options) != "options" || err != nil {
			t.Errorf("the question is %s %q, %v, want 3EB0", id, options, err)
		}
		for reason, end := range map[string]time.Time{"temporary_ban": until, "timelock": until.Add(time.Hour), "over": until} {
			if err := errors.Join(s.SetRestriction(ctx, number, reason, until.Add(-time.Hour)), s.SetRestriction(ctx, number, reason, end)); err != nil {
				t.Fatal(err)
			}
		}
		if lease, err = s.Acquire(ctx, number, "a", time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.SetRestriction(ctx, number, "over", time.Time{}), s.Save(ctx, lease, "b")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Restrictions(ctx, number); err != nil || len(got) != 1 || !got["timelock"].Equal(until.Add(time.Hour)) {
			t.Errorf("the restrictions after another pairing are %v, %v, want the timelock", got, err)
		}
		if removed, err := s.Remove(ctx, number); !removed || err != nil {
			t.Errorf("removing: %v, %v, want true", removed, err)
		}
		if people, err := s.Writers(ctx, number, "22370000001"); len(people) != 0 || err != nil {
			t.Errorf("the writers of a removed number are %v, %v, want none", people, err)
		}
		if got, err := s.Restrictions(ctx, number); len(got) != 0 || err != nil {
			t.Errorf("the restrictions of a removed number are %v, %v, want none", got, err)
		}
		if id, _, err := s.Question(ctx, number, "1"); id != "" || err != nil {
			t.Errorf("the question of a removed number is %s, %v, want none", id, err)
		}
	})
}

func TestWriters(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		for _, person := range []string{"22370000001", "22370000001", "551187654321", "552187654321", "5215512345678", "5491123456789", "22912345678", "70123456"} {
			if err := s.NoteWriter(ctx, number, person); err != nil {
				t.Fatal(err)
			}
		}
		for like, want := range map[string][]string{
			"22370000001":   {"22370000001"},
			"22370000002":   nil,
			"33370000001":   nil, // another country
			"5511987654321": {"551187654321", "552187654321"},
			"525512345678":  {"5215512345678"},
			"541123456789":  {"5491123456789"},
			"2290112345678": {"22912345678"},
			"70123456":      {"70123456"},
			"1":             nil,
			"":              nil,
		} {
			got, err := s.Writers(ctx, number, like)
			slices.Sort(got)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("like %q: %v, %v, want %v", like, got, err, want)
			}
			if got, err := s.Writers(ctx, "22376543211", like); len(got) != 0 || err != nil {
				t.Errorf("like %q, of another number: %v, %v, want none", like, got, err)
			}
		}
	})
}

func TestStore_OpensTablesOfAnEarlierVersion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		storetest.Open(t, address, storetest.Limits)
		raw, err := db.Open(ctx, address, storetest.Box(t))
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		for _, change := range []string{
			"ALTER TABLE griot_events DROP COLUMN stored_ms", "ALTER TABLE griot_references DROP COLUMN recipient", "DROP INDEX griot_writers_ending",
			"INSERT INTO griot_references (reference, number, message_id, status, taken_ms) VALUES ('msg_1', '" + number + "', '3EB01', 'taken', 1)",
		} {
			if _, err := raw.ExecContext(ctx, change); err != nil {
				t.Fatal(err)
			}
		}
		s := storetest.Open(t, address, storetest.Limits)
		want := store.Reference{Reference: "msg_1", Number: number, MessageID: "3EB01", Status: store.Taken}
		if got, err := s.Reference(ctx, "msg_1"); err != nil || got == nil || *got != want {
			t.Errorf("the reference is %+v, %v, want %+v", got, err, want)
		}
		if err := s.Add(ctx, event("1", []byte("event"))); err != nil {
			t.Errorf("adding an event: %v", err)
		}
	})
}

// Events that an older Griot refuses wait for a newer one, and never use more than half of the space.
func TestEvents_ForIDs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, store.Limits{Events: 8, Bytes: 1000})
		for i, id := range []string{"1", "2", "3", "4", "5", "6"} {
			e := event(id, []byte(id))
			if i != 1 {
				e.Needs = store.NeedsIDs
			}
			for range 2 {
				if err := s.Add(ctx, e); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := func(ids bool, want string) {
			t.Helper()
			list, err := s.Events(ctx, 0, 10, ids)
			got := ""
			for _, e := range list {
				if got += string(e.Body); e.NeedsIDs == (string(e.Body) == "2") {
					t.Errorf("the event %s needs IDs: %v", e.Body, e.NeedsIDs)
				}
			}
			if got != want || err != nil {
				t.Errorf("the events are %q, %v, want %q", got, err, want)
			}
		}
		want(false, "2")
		want(true, "123456")
		if deleted, err := s.TrimHeld(ctx, time.Hour); deleted != 1 || err != nil {
			t.Errorf("%d are deleted, %v, want 1", deleted, err)
		}
		want(true, "23456")
		if w, err := s.Spool(ctx); w.Events != 5 || w.Held != 4 || err != nil {
			t.Errorf("the spool is %+v, %v, want 4 of 5 that need IDs", w, err)
		}
		large := event("7", bytes.Repeat([]byte("7"), 498))
		large.Needs = store.NeedsIDs
		if err := s.Add(ctx, large); err != nil {
			t.Fatal(err)
		}
		if deleted, err := s.TrimHeld(ctx, time.Hour); deleted != 2 || err != nil {
			t.Errorf("%d are deleted, %v, want 2", deleted, err)
		}
		if deleted, err := s.TrimHeld(ctx, -time.Hour); deleted != 3 || err != nil {
			t.Errorf("%d are deleted because of their age, %v, want 3", deleted, err)
		}
		want(true, "2")
	})
}

// A delayed event waits for its time, unless it is canceled.
func TestEvents_Later(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		for id, delay := range map[string]time.Duration{"now": 0, "later": time.Hour, "never": time.Hour} {
			e := event(id, []byte(id))
			e.Needs, e.Delay = store.NeedsToReplace, delay
			if err := s.Add(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := s.Cancel(ctx, "never"); err != nil {
				t.Fatal(err)
			}
		}
		list, err := s.Events(ctx, 0, 10, true)
		waiting, failed := s.Waiting(ctx)
		if err != nil || failed != nil || len(list) != 1 || string(list[0].Body) != "now" || waiting != 2 {
			t.Errorf("%d events are due, %d wait, %v, %v, want now, and later to wait", len(list), waiting, err, failed)
		}
	})
}

// The orders of a number's events increase, even after a restart with a clock that was set back. The conversation is the
// same under both addresses of a person, once they are known to belong together.
func TestEvents_Order(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		lease, err := s.Acquire(ctx, number, "a", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Save(ctx, lease, "a"); err != nil {
			t.Fatal(err)
		}
		add := func(s *store.Store, id, person string) {
			t.Helper()
			e := event(id, []byte(id))
			e.Person = person
			if err := s.Add(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		var last int64
		conversations := map[string]string{}
		read := func(s *store.Store) {
			t.Helper()
			list, err := s.Events(ctx, 0, 10, false)
			if err != nil || len(list) == 0 {
				t.Fatalf("events are %v, %v, want some", list, err)
			}
			for _, e := range list {
				if e.Order <= last {
					t.Errorf("the order %d of event %s is not greater than %d", e.Order, e.Body, last)
				}
				last = e.Order
				conversations[string(e.Body)] = e.Conversation
				if err := s.Done(ctx, e.Seq); err != nil {
					t.Fatal(err)
				}
			}
		}
		before := time.Now().UnixMilli()
		for _, id := range []string{"a", "b", "c"} {
			add(s, id, "22370000001")
		}
		read(s)
		if last < before-1 || last > time.Now().UnixMilli()+10 {
			t.Errorf("the order is %d, want the time, %d", last, before)
		}
		if _, err := s.Confirm(ctx, number, []store.Pair{{ID: "1@lid", Phone: "22370000001"}}); err != nil {
			t.Fatal(err)
		}
		add(s, "d", "22370000001")
		add(s, "e", "1@lid")
		add(s, "f", "")
		raw, err := db.Open(ctx, address, storetest.Box(t))
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		if _, err := raw.ExecContext(ctx, `UPDATE griot_numbers SET ordered_ms = ordered_ms + 3600000`); err != nil {
			t.Fatal(err)
		}
		again := storetest.Open(t, address, storetest.Limits)
		read(again)
		last = before + 3_600_000
		add(again, "g", "2@lid")
		read(again)
		if conversations["d"] != conversations["e"] || conversations["d"] == "" || conversations["f"] != "" || conversations["g"] == conversations["d"] {
			t.Errorf("the conversations are %v", conversations)
		}
	})
}

// A refused event is parked: it comes again after a pause, and uses at most a quarter of the space.
func TestEvents_Parked(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, store.Limits{Events: 8, Bytes: 1000})
		for _, id := range []string{"1", "2", "3", "4"} {
			if err := s.Add(ctx, event(id, []byte(id))); err != nil {
				t.Fatal(err)
			}
		}
		list, err := s.Events(ctx, 0, 10, false)
		if err != nil || len(list) != 4 {
			t.Fatalf("events are %v, %v, want 4", list, err)
		}
		for i, pause := range []time.Duration{0, time.Hour, time.Hour} {
			if err := s.Park(ctx, list[i].Seq, pause); err != nil {
				t.Fatal(err)
			}
		}
		if list, err = s.Events(ctx, 0, 10, false); err != nil || len(list) != 2 || string(list[0].Body) != "1" || string(list[1].Body) != "4" {
			t.Errorf("events are %v, %v, want the one whose pause is over, and the one that was not refused", list, err)
		}
		if w, err := s.Spool(ctx); w.Events != 4 || w.Parked != 3 || err != nil {
			t.Errorf("the spool is %+v, %v, want 3 of 4 to be parked", w, err)
		}
		if deleted, err := s.TrimParked(ctx, time.Hour); deleted != 1 || err != nil {
			t.Errorf("%d are deleted, %v, want the oldest of 3", deleted, err)
		}
		if deleted, err := s.TrimParked(ctx, -time.Hour); deleted != 2 || err != nil {
			t.Errorf("%d are deleted because of their age, %v, want 2", deleted, err)
		}
		if list, err = s.Events(ctx, 0, 10, false); err != nil || len(list) != 1 || string(list[0].Body) != "4" {
			t.Errorf("events are %v, %v, want the one that was not refused", list, err)
		}
	})
}

func TestPairs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address, storetest.Limits)
		awa, moussa := store.Pair{ID: "1@lid", Phone: "22370000001"}, store.Pair{ID: "2@lid", Phone: "22370000002"}
		confirm := func(pairs ...store.Pair) []store.Pair {
			t.Helper()
			hidden, err := s.Confirm(ctx, number, pairs)
			if err != nil {
				t.Fatal(err)
			}
			return hidden
		}
		confirmed := func(p store.Pair) bool {
			t.Helper()
			at, err := s.Confirmed(ctx, p)
			if err != nil || !at.IsZero() && time.Since(at).Abs() > time.Minute {
				t.Fatalf("confirmed at %v, %v, want now", at, err)
			}
			return !at.IsZero()
		}
		if err := errors.Join(s.NoteWriter(ctx, number, moussa.ID), s.NoteWriter(ctx, number, awa.ID), s.NoteWriter(ctx, number, awa.Phone)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if hidden := confirm(awa, moussa); !slices.Equal(hidden, []store.Pair{moussa}) {
				t.Errorf("those who have hidden their number are %v, want %v", hidden, moussa)
			}
		}
		s = storetest.Open(t, address, storetest.Limits)
		if !confirmed(awa) || !confirmed(moussa) || confirmed(store.Pair{ID: awa.ID, Phone: moussa.Phone}) {
			t.Error("the pairs are not those that were confirmed")
		}
		moved, recycled := store.Pair{ID: awa.ID, Phone: "22370000003"}, store.Pair{ID: "4@lid", Phone: moussa.Phone}
		confirm(moved, recycled)
		if confirmed(awa) || confirmed(moussa) || !confirmed(moved) || !confirmed(recycled) {
			t.Error("a pair is still confirmed although a later report contradicts it")
		}
		for who, want := range map[string]bool{moussa.ID: true, moussa.Phone: false, "": false} {
			if has, err := s.HasWritten(ctx, number, who); has != want || err != nil {
				t.Errorf("%q has written: %v, %v, want %v", who, has, err, want)
			}
		}
		if err := s.Maintain(ctx); err != nil || !confirmed(moved) {
			t.Errorf("a recent pair was deleted, %v", err)
		}
		d, err := db.Open(ctx, address, storetest.Box(t))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.ExecContext(ctx, `UPDATE griot_pairs SET confirmed_ms = confirmed_ms - 2592000000`); err != nil {
			t.Fatal(err)
		}
		if confirmed(moved) {
			t.Error("a pair is confirmed that is 30 days old")
		}
		if err := s.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := d.QueryRowContext(ctx, `SELECT COUNT(*) FROM griot_pairs`).Scan(&n); n != 0 || err != nil {
			t.Errorf("%d old pairs are left, %v, want none", n, err)
		}
	})
}
