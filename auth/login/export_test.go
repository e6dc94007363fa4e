package login

import (
	"context"
	"strings"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// UseWords makes a service draw only from these words.
func (s *Service) UseWords(words string) {
	list := strings.Fields(words)
	lists := &wordLists{byLang: map[i18n.Lang][]string{i18n.EN: list, i18n.FR: list}, known: map[string]bool{}}
	for _, w := range list {
		lists.known[normalize(w)] = true
	}
	s.words = func() *wordLists { return lists }
}

// DeleteSomeOfTenant performs one step of DeleteTenant.
func (s *Service) DeleteSomeOfTenant(ctx context.Context, tenants *tenant.Store, tenantID, position string) (TenantDeletion, error) {
	over := make(chan time.Time)
	close(over)
	return s.deleteTenant(ctx, tenants, tenantID, position, over)
}

// Lists are the word lists of the program.
type Lists struct{ words *wordLists }

// NewLists returns the word lists.
func NewLists() Lists { return Lists{newWordLists()} }

// Keys returns the possible words in a text.
func (l Lists) Keys(text string) []string { return l.words.keys(text) }

// Draw draws words from the list of a language.
func (l Lists) Draw(lang i18n.Lang) string { return l.words.draw(lang) }

// Normalize returns a text in the format for comparing words.
func Normalize(text string) string { return normalize(text) }

// Steps returns the status table as "step: from -> to".
func Steps() []string {
	names := map[step]string{activate: "activate", prove: "prove", redeem: "redeem", terminate: "terminate", cancel: "cancel"}
	var lines []string
	for i, m := range steps() {
		for _, from := range m.From {
			lines = append(lines, names[step(i)]+": "+string(from)+" -> "+string(m.To))
		}
	}
	return lines
}

// Refresh evicts the logins once that other nodes changed; Run does this repeatedly.
func (s *Service) Refresh(ctx context.Context) error { return s.refresh(ctx) }

// WaitingCache is the cache of logins that wait.
type WaitingCache struct{ cache waitingCache }

// Put stores a login that starts now.
func (c *WaitingCache) Put(sessionID string, now time.Time) { c.Read(sessionID, now)() }

// Read reads the row of a login that starts now; the function that it returns stores it.
func (c *WaitingCache) Read(sessionID string, now time.Time) (put func()) {
	version := c.cache.version(sessionID)
	return func() {
		c.cache.put(&Session{
			ID: sessionID, Status: Pending, ExpiresAt: now.Add(ProveTime),
			TenantName: "Bamako Bank", cookieHash: seal.Hash(id.Token(32)), Words: strings.Clone("montagne riviere girafe"),
		}, now, ProveTime, version)
	}
}

// Evict is called after a login has changed.
func (c *WaitingCache) Evict(sessionID string) { c.cache.evict(sessionID) }

// Len returns the number of cached logins.
func (c *WaitingCache) Len() (n int) {
	for i := range c.cache.shards {
		n += len(c.cache.shards[i].logins)
	}
	return n
}
