package account_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/account"
)

// Rules: M13.
func TestRotateKey_TheOldOneWorksForAWhile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		old, oldSecret := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Live, Name: "Checkout"})
		elsewhere := account.NewDirectory(d, h.clock.Now) // another node, which also has it in its cache
		if c, err := elsewhere.Authenticate(t.Context(), oldSecret); err != nil || c == nil {
			t.Fatal(c, err)
		}
		h.opens(oldSecret)
		epoch := h.int(`SELECT epoch FROM cache_epochs WHERE kind = 'accounts'`)
		h.clock.Advance(time.Second)
		const grace = 10 * time.Second // shorter than the cache time of keys
		r, err := h.RotateKey(t.Context(), h.a.ID, "", old.ID, grace, forms.Creation{})
		h.must(err)
		if !h.opens(oldSecret) || !h.opens(r.Secret) {
			t.Error("within the grace, both keys do not work")
		}
		if r.Key.Kind != account.Live || r.Key.Name != "Checkout" || r.Replaced.ID != old.ID || !r.Replaced.ExpiresAt.Equal(h.clock.Now().Add(grace)) {
			t.Errorf("rotated %+v, replaced %+v", r.Key, r.Replaced)
		}
		if n := h.int(`SELECT epoch FROM cache_epochs WHERE kind = 'accounts'`); n <= epoch {
			t.Errorf("other nodes are not told: the epoch is %d, was %d", n, epoch)
		}
		if _, err := h.RotateKey(t.Context(), h.a.ID, "", old.ID, 0, forms.Creation{}); !errors.Is(err, account.ErrKeyInactive) {
			t.Errorf("rotating it again: %v, want %v", err, account.ErrKeyInactive)
		}
		h.clock.Advance(grace - time.Millisecond)
		if works, _, err := h.StreamState(t.Context(), old.ID); err != nil || !works || !h.opens(oldSecret) {
			t.Errorf("before its end the old key does not work: %v, %v", works, err)
		}
		h.clock.Advance(time.Millisecond)
		if works, _, err := h.StreamState(t.Context(), old.ID); err != nil || works || h.opens(oldSecret) || !h.opens(r.Secret) {
			t.Errorf("after its end the old key works, or the new one does not: %v, %v", works, err)
		}
		elsewhere.ForgetAll() // like Follow after a change of the epoch
		if c, err := elsewhere.Authenticate(t.Context(), oldSecret); err != nil || c != nil {
			t.Errorf("the other node says %+v, %v", c, err)
		}
		if _, err := h.RotateKey(t.Context(), h.a.ID, "", old.ID, 0, forms.Creation{}); !errors.Is(err, account.ErrKeyInactive) {
			t.Errorf("rotating what has ended: %v, want %v", err, account.ErrKeyInactive)
		}
		keys, err := h.Keys(t.Context(), h.a.ID, "")
		h.must(err)
		if len(keys) != 2 || keys[0].Works(h.clock.Now()) || !keys[1].Works(h.clock.Now()) || !keys[1].ExpiresAt.IsZero() {
			t.Errorf("keys %+v", keys)
		}
	})
}

func TestRotateKey_AtOnceAndOnlyOnesOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		old, secret := h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Test})
		other := h.account("other@example.com", "free")
		for name, owner := range map[string][2]string{"another account": {other.ID, ""}, "a member who did not make it": {h.a.ID, "mem_x"}} {
			if _, err := h.RotateKey(t.Context(), owner[0], owner[1], old.ID, time.Hour, forms.Creation{}); !errors.Is(err, account.ErrNoKey) {
				t.Errorf("%s: %v, want %v", name, err, account.ErrNoKey)
			}
		}
		if _, err := h.RotateKey(t.Context(), h.a.ID, "", "none", time.Hour, forms.Creation{}); !errors.Is(err, account.ErrNoKey) {
			t.Errorf("an absent key: %v, want %v", err, account.ErrNoKey)
		}
		r, err := h.RotateKey(t.Context(), h.a.ID, "", old.ID, 0, forms.Creation{})
		h.must(err)
		if h.opens(secret) || !h.opens(r.Secret) || !r.Replaced.RevokedAt.Equal(h.clock.Now()) {
			t.Errorf("the old key works, or the new one does not; replaced %+v", r.Replaced)
		}
		far, err := h.RotateKey(t.Context(), h.a.ID, "", r.Key.ID, 365*24*time.Hour, forms.Creation{})
		h.must(err)
		if want := h.clock.Now().Add(account.MaxGrace); !far.Replaced.ExpiresAt.Equal(want) {
			t.Errorf("ends at %s, want %s at most", far.Replaced.ExpiresAt, want)
		}
	})
}

func TestRotateKey_WithAsManyKeysAsThereMayBe(t *testing.T) {
	h := newService(t, dbtest.SQLite(t), "free")
	var last *account.Key
	for range account.MaxKeys {
		last, _ = h.key(account.KeySpec{AccountID: h.a.ID, Kind: account.Test})
	}
	if _, err := h.RotateKey(t.Context(), h.a.ID, "", last.ID, time.Hour, forms.Creation{}); !errors.Is(err, account.ErrTooMany) {
		t.Errorf("a key too many: %v, want %v", err, account.ErrTooMany)
	}
	if _, err := h.RotateKey(t.Context(), h.a.ID, "", last.ID, 0, forms.Creation{}); err != nil {
		t.Errorf("in the place of another: %v", err)
	}
	if n := h.int(`SELECT count(*) FROM api_keys WHERE revoked_at IS NULL`); n != account.MaxKeys {
		t.Errorf("%d keys work, want %d", n, account.MaxKeys)
	}
}

// A form that is sent again creates nothing more.
func TestMakeKey_OnceWithAnID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		s := account.KeySpec{Form: forms.Creation{ID: "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"}, AccountID: h.a.ID, Kind: account.Test}
		k, secret := h.key(s)
		if _, _, err := h.MakeKey(t.Context(), s); !errors.Is(err, account.ErrKeyMade) {
			t.Errorf("again: %v, want %v", err, account.ErrKeyMade)
		}
		if n := h.int(`SELECT count(*) FROM api_keys`); n != 1 || k.ID != s.Form.ID || !h.opens(secret) {
			t.Errorf("%d keys, the first is %s", n, k.ID)
		}
	})
}
