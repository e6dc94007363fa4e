package login_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// Rules: L62.
func TestStatusTable(t *testing.T) {
	want := []string{
		"activate: PENDING -> ACTIVATED",
		"prove: PENDING -> VERIFIED", "prove: ACTIVATED -> VERIFIED",
		"redeem: VERIFIED -> CONSUMED",
		"terminate: VERIFIED -> EXPIRED",
		"cancel: PENDING -> EXPIRED", "cancel: ACTIVATED -> EXPIRED", "cancel: VERIFIED -> EXPIRED",
	}
	if diff := cmp.Diff(want, login.Steps()); diff != "" {
		t.Errorf("status table (-want +got):\n%s", diff)
	}
}

// service is a node of the login service with a client of its world.
type service struct {
	*authtest.World
	*login.Service
	client *tenant.Client
}

func newService(t *testing.T, d *db.DB) *service {
	t.Helper()
	w := authtest.New(t, d)
	return &service{w, w.NewLogins(), w.NewClient(t, tenant.Public, tenant.Test).Client}
}

// begin starts a login, and returns its id and its cookie's token.
func (s *service) begin(t *testing.T) (sessionID, token string) {
	t.Helper()
	sessionID, token, err := s.start(t)
	if err != nil {
		t.Fatal(err)
	}
	return sessionID, token
}

func (s *service) start(t *testing.T) (sessionID, token string, err error) {
	return s.Start(t.Context(), login.Request{Client: s.client, RedirectURI: authtest.Redirect, State: "0123456789abcdef", Lang: i18n.EN})
}

// Three words have six orders, so a receiver has room for six logins.
// Rules: L29.
func TestStart_WordsAreUniqueAmongLiveSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		s.UseWords("Amber river séven")
		round := func() (words map[string]bool, refused int) {
			var mu sync.Mutex
			var wg sync.WaitGroup
			tokens := map[string]string{} // by session
			for range 60 {
				wg.Go(func() {
					sessionID, token, err := s.start(t)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						tokens[sessionID] = token
					case errors.Is(err, apierror.AuthTooManyLogins.Err()):
						refused++
					default:
						t.Errorf("Start: got %v, want no error or %v", err, apierror.AuthTooManyLogins.Err())
					}
				})
			}
			wg.Wait()
			words = map[string]bool{}
			for sessionID, token := range tokens {
				words[login.Normalize(s.read(t, sessionID, token).Session.Words)] = true
			}
			return words, refused
		}
		words, refused := round()
		if len(words) < 4 || len(words)+refused != 60 {
			t.Errorf("%d different words and %d refusals, want 4 to 6 words and refusals for all others of 60: %v", len(words), refused, words)
		}
		s.Clock.Advance(5 * time.Minute) // expired, but still stored for people who repeat them
		if again, _ := round(); len(again)+len(words) > 6 {
			t.Errorf("words were reserved again too early: %v, then %v", words, again)
		}
		s.Clock.Advance(time.Hour)
		if later, _ := round(); len(later) < 4 {
			t.Errorf("%d different words after an hour, want 4 to 6: %v", len(later), later)
		}
	})
}

// Rules: L29, L49.
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
		if len(seen) < 800 { // of 1,500 draws from 2,048, about 1,060 are different
			t.Errorf("%s: only %d different words in 500 drawings", lang, len(seen))
		}
	}
}

// Rules: L71, L118.
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

// Rules: L71.
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
		// Characters other than letters and digits never hide the words.
		gap := " " + strings.Map(func(r rune) rune {
			if login.Normalize(string(r)) != "" {
				return -1
			}
			return r
		}, text[:min(len(text), 200)]) + " "
		sent := gap + "AbAcus," + gap + "ability" + gap + "âbout" + gap
		if found := lists.Keys(sent); len(found) != 1 || found[0] != "abacus ability about" {
			t.Errorf("%q is read as %q", sent, found)
		}
	})
}
