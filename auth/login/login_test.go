package login_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"griot/auth/login"
	"griot/auth/tenant"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/fault"
	"griot/internal/i18n"
	"griot/internal/seal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestStatusTable(t *testing.T) {
	want := []string{
		"activate: PENDING -> ACTIVATED",
		"prove: PENDING -> VERIFIED", "prove: ACTIVATED -> VERIFIED",
		"redeem: VERIFIED -> CONSUMED",
		"terminate: VERIFIED -> EXPIRED",
		"cancel: PENDING -> EXPIRED", "cancel: ACTIVATED -> EXPIRED", "cancel: VERIFIED -> EXPIRED",
	}
	if diff := cmp.Diff(want, login.Steps()); diff != "" {
		t.Errorf("DESIGN §7 (-want +got):\n%s", diff)
	}
}

type service struct {
	*login.Service
	clock  *clock.Fake
	key    *seal.Key
	client *tenant.Client
}

func newService(t *testing.T, d *db.DB) *service {
	t.Helper()
	c := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	tenants := tenant.New(d, c.Now)
	owner, err := tenants.CreateTenant(t.Context(), "Tenant")
	if err != nil {
		t.Fatal(err)
	}
	client, _, err := tenants.CreateClient(t.Context(), owner.ID, tenant.Public, tenant.Test, []string{"https://app.example/cb"})
	if err != nil {
		t.Fatal(err)
	}
	return &service{
		Service: login.New(login.Options{DB: d, Key: key, Now: c.Now, Issuer: "https://login.example"}), clock: c, key: key, client: &client,
	}
}

func (h *service) start(t *testing.T) (words string, err error) {
	t.Helper()
	sessionID, token, err := h.Start(t.Context(), login.Request{Client: h.client, RedirectURI: "https://app.example/cb", State: "0123456789abcdef", Lang: i18n.EN})
	if err != nil {
		return "", err
	}
	session, err := h.Owned(t.Context(), sessionID, []string{token})
	if err != nil {
		t.Fatal(err)
	}
	return session.Words, nil
}

// Three words can be said in six orders: a receiver has room for six logins, then none.
func TestStart_WordsAreUniqueAmongLiveSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d)
		h.UseWords("Amber river séven")
		round := func() (words map[string]int, refused int) {
			words = map[string]int{}
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 60 {
				wg.Go(func() {
					w, err := h.start(t)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						words[login.Normalize(w)]++
					case errors.Is(err, fault.AuthTooManyLogins.Err()):
						refused++
					default:
						t.Error(err)
					}
				})
			}
			wg.Wait()
			return words, refused
		}
		words, refused := round()
		if len(words) < 4 || len(words)+refused != 60 {
			t.Errorf("%d different words, %d refusals: %v", len(words), refused, words)
		}
		h.clock.Advance(5 * time.Minute) // expired, but still kept for those who repeat them
		if again, _ := round(); len(again)+len(words) > 6 {
			t.Errorf("words were given away at once: %v, then %v", words, again)
		}
		h.clock.Advance(time.Hour)
		if later, _ := round(); len(later) < 4 {
			t.Errorf("after an hour only %v", later)
		}
	})
}

func TestWords_AreDrawnFromTheirList(t *testing.T) {
	lists := login.NewLists()
	for _, lang := range i18n.Langs() {
		seen := map[string]bool{}
		for range 500 {
			words := strings.Fields(lists.Draw(lang))
			if len(words) != 3 || words[0] == words[1] || words[1] == words[2] || words[0] == words[2] {
				t.Fatalf("%v", words)
			}
			for _, w := range words {
				seen[w] = true
			}
			if keys := lists.Keys(strings.Join(words, " ")); len(keys) != 1 || keys[0] != login.Normalize(strings.Join(words, " ")) {
				t.Fatalf("%v are read as %q", words, keys)
			}
		}
		if len(seen) < 800 { // of 1,500 drawings from 2,048, about 1,060 are different
			t.Errorf("%s: only %d different words in 500 drawings", lang, len(seen))
		}
	}
}

func TestKeys(t *testing.T) {
	lists := login.NewLists()
	for text, want := range map[string][]string{
		"":                                 nil,
		"ability about":                    nil,
		"ability about above":              {"ability about above"},
		"ABILITY, About; above.":           {"ability about above"},
		"ability about above abstract":     {"ability about above", "about above abstract"},
		"xx ability yy about zz above":     {"ability about above"},
		"l'abeille, l'académie et l'acier": {"abeille academie acier"},
		"ＡＢＩＬＩＴＹ about above":              {"ability about above"},
		"abil\u200bity abo\u00adut above":  {"ability about above"},
		"abilityabout above":               {},
	} {
		got := lists.Keys(text)
		if len(got) == 0 && len(want) == 0 {
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"ability about above abstract amber", "ABILITY-about\nabove", "é́\xff\x00", strings.Repeat("zebra ", 5000)} {
		f.Add(seed)
	}
	lists := login.NewLists()
	f.Fuzz(func(t *testing.T, text string) {
		keys := lists.Keys(text)
		if len(keys) > 16 {
			t.Errorf("%d guesses in one message", len(keys))
		}
		for _, k := range keys {
			if len(strings.Fields(k)) != 3 || login.Normalize(k) != k {
				t.Errorf("key %q", k)
			}
			if again := lists.Keys(k); len(again) != 1 || again[0] != k {
				t.Errorf("%q is read as %q", k, again)
			}
		}
		// What isn't written with letters or digits never hides the words.
		gap := " " + strings.Map(func(r rune) rune {
			if login.Normalize(string(r)) != "" {
				return -1
			}
			return r
		}, text[:min(len(text), 200)]) + " "
		said := gap + "AbAcus," + gap + "ability" + gap + "âbout" + gap
		if found := lists.Keys(said); len(found) != 1 || found[0] != "abacus ability about" {
			t.Errorf("%q is read as %q", said, found)
		}
	})
}
