package account_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M13.
func TestKeys_RotateWithoutAGapAndEndAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		old, oldSecret := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live})
		h.clock.Advance(time.Second)
		_, newSecret := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live})
		if !h.opens(oldSecret) || !h.opens(newSecret) {
			t.Fatal("two live keys do not both work")
		}
		elsewhere := account.NewDirectory(d, h.clock.Now) // another node, which also has it in its cache
		if c, err := elsewhere.Authenticate(t.Context(), oldSecret); err != nil || c == nil {
			t.Fatal(c, err)
		}
		for range 2 { // a repetition is not an error
			if found, err := h.RevokeKey(t.Context(), h.a.ID, "", old.ID); err != nil || !found {
				t.Fatal(found, err)
			}
			h.clock.Advance(time.Second)
		}
		if h.opens(oldSecret) || !h.opens(newSecret) {
			t.Error("after the revocation, the old key works or the new one does not")
		}
		h.clock.Advance(28 * time.Second)
		if c, err := elsewhere.Authenticate(t.Context(), oldSecret); err != nil || c != nil {
			t.Errorf("30 seconds later the other node says %+v, %v", c, err)
		}
		other := h.account("other@example.com", "free")
		if found, err := h.RevokeKey(t.Context(), other.ID, "", old.ID); err != nil || found {
			t.Errorf("another account's key: %v, %v", found, err)
		}
		keys, err := h.Keys(t.Context(), h.a.ID, "")
		h.must(err)
		if len(keys) != 2 || !keys[0].RevokedAt.Equal(messagingtest.Start.Add(time.Second)) || !keys[1].RevokedAt.IsZero() || !strings.HasPrefix(oldSecret, keys[0].Prefix) || len(keys[0].Prefix) != 14 {
			t.Errorf("keys %+v", keys)
		}
		if n := h.int(`SELECT count(*) FROM api_keys WHERE key_hash = $1`, seal.Hash(newSecret)); n != 1 {
			t.Errorf("%d rows with the key's hash", n)
		}
	})
}

// Rules: M9.
func TestKeys_KindsAndProjects(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		p, err := h.CreateProject(t.Context(), h.a.ID, "Boutique")
		h.must(err)
		foreign := h.account("other@example.com", "free", "Theirs")
		theirs, err := h.Projects(t.Context(), foreign.ID)
		h.must(err)
		for name, tc := range map[string]struct {
			spec account.KeySpec
			want error
		}{
			"a live key of a project":      {account.KeySpec{Kind: account.Live, ProjectID: p.ID}, account.ErrKeyKind},
			"a project key of none":        {account.KeySpec{Kind: account.ProjectKey}, account.ErrKeyKind},
			"a key of no kind":             {account.KeySpec{Kind: account.Dashboard}, account.ErrKeyKind},
			"a key of another's project":   {account.KeySpec{Kind: account.ProjectKey, ProjectID: theirs[0].ID}, account.ErrNoProject},
			"a key of an absent project":   {account.KeySpec{Kind: account.ProjectKey, ProjectID: "none"}, account.ErrNoProject},
			"a key of who is not a member": {account.KeySpec{Kind: account.ProjectKey, ProjectID: p.ID, MemberID: "none"}, account.ErrNoMember},
			"a project key":                {account.KeySpec{Kind: account.ProjectKey, ProjectID: p.ID}, nil},
		} {
			tc.spec.AccountID = h.a.ID
			if _, _, err := h.MakeKey(t.Context(), tc.spec); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v, want %v", name, err, tc.want)
			}
		}
		if n := h.int(`SELECT count(*) FROM api_keys`); n != 1 {
			t.Errorf("%d keys were stored", n)
		}
	})
}

func TestKeys_NotTooMany(t *testing.T) {
	h := newService(t, dbtest.SQLite(t), "free")
	var last *account.Key
	for range account.MaxKeys {
		last, _ = h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Test})
	}
	if _, _, err := h.MakeKey(t.Context(), account.KeySpec{AccountID: h.a.ID, Kind: account.Test}); !errors.Is(err, account.ErrTooMany) {
		t.Errorf("one too many: %v", err)
	}
	if _, err := h.RevokeKey(t.Context(), h.a.ID, "", last.ID); err != nil {
		t.Fatal(err)
	}
	h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Test})
	for i := range account.MaxProjects {
		if _, err := h.CreateProject(t.Context(), h.a.ID, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.CreateProject(t.Context(), h.a.ID, "x"); !errors.Is(err, account.ErrTooMany) {
		t.Errorf("a project too many: %v", err)
	}
}

func TestUses_AreWrittenOnceAMinuteAndKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		var keys []string
		for range 70 { // more than in one statement
			_, key := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live})
			keys = append(keys, key)
		}
		use := func() {
			for _, key := range keys {
				if !h.opens(key) {
					t.Fatal("a key opens nothing")
				}
			}
		}
		used := func(want int, at time.Time) {
			t.Helper()
			h.must(h.FlushUses(t.Context()))
			if n := h.int(`SELECT count(*) FROM api_keys WHERE last_used_at = $1`, db.Ms(at)); n != want {
				t.Errorf("%d keys used at %s, want %d", n, at, want)
			}
		}
		used(0, messagingtest.Start)
		use()
		if n := h.int(`SELECT count(*) FROM api_keys WHERE last_used_at IS NOT NULL`); n != 0 {
			t.Error("a request wrote")
		}
		used(70, messagingtest.Start)
		h.clock.Advance(59 * time.Second)
		use()
		used(70, messagingtest.Start)
		h.clock.Advance(time.Second)
		if !h.opens(keys[0]) {
			t.Fatal("a key opens nothing")
		}
		used(1, messagingtest.Start.Add(time.Minute))
		used(69, messagingtest.Start)
	})
}

// A use is shown while it is being stored.
func TestUses_AreShownWhileTheyAreStored(t *testing.T) {
	h := newService(t, dbtest.SQLite(t), "free")
	made, key := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live})
	h.opens(key)
	began, end, stored := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		stored <- h.db.Write(t.Context(), func(*db.Tx) error {
			close(began)
			<-end
			return nil
		})
	}()
	<-began
	go func() { stored <- h.FlushUses(t.Context()) }()
	shows := func() {
		t.Helper()
		list, err := h.Keys(t.Context(), h.a.ID, "")
		h.must(err)
		for i := range list {
			if list[i].ID == made.ID && !list[i].LastUsedAt.Equal(messagingtest.Start) {
				t.Fatalf("the last use is %s, want %s", list[i].LastUsedAt, messagingtest.Start)
			}
		}
	}
	for range 200 { // some while the storing waits for the other write
		shows()
	}
	close(end)
	for range 2 {
		h.must(<-stored)
	}
	shows()
}

func TestUses_AreNotLostWhenTheServerEndsOrTheDatabaseFails(t *testing.T) {
	h := newService(t, dbtest.SQLite(t), "free")
	_, key := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live})
	h.opens(key)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := h.FlushUses(ended); err == nil {
		t.Fatal("a write under an ended context succeeded")
	}
	log := &logtest.Recorder{}
	h.must(h.Run(ended, log.Logger()))
	if n := h.int(`SELECT count(*) FROM api_keys WHERE last_used_at = $1`, db.Ms(messagingtest.Start)); n != 1 {
		t.Error("the last use is lost")
	}
}
