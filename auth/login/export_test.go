package login

import (
	"context"
	"strings"
	"time"

	"griot/internal/i18n"
	"griot/internal/id"
	"griot/internal/seal"
)

// UseWords makes a service draw from these words only.
func (s *Service) UseWords(words string) {
	list := strings.Fields(words)
	s.words = &wordLists{byLang: map[i18n.Lang][]string{i18n.EN: list, i18n.FR: list}, known: map[string]bool{}}
	for _, w := range list {
		s.words.known[fold(w)] = true
	}
}

// Lists are the word lists of the program.
type Lists struct{ words *wordLists }

// NewLists reads the word lists.
func NewLists() Lists { return Lists{newWordLists()} }

// Keys returns what a text may mean.
func (l Lists) Keys(text string) []string { return l.words.keys(text) }

// Draw draws words from the list of a language.
func (l Lists) Draw(lang i18n.Lang) string { return l.words.draw(lang) }

// Fold writes a text as words are compared.
func Fold(text string) string { return fold(text) }

// Steps returns the status table as "step: from -> to".
func Steps() []string {
	names := map[step]string{activate: "activate", prove: "prove", redeem: "redeem", kill: "kill", cancel: "cancel"}
	var lines []string
	for i, m := range moves() {
		for _, from := range m.From {
			lines = append(lines, names[step(i)]+": "+string(from)+" -> "+string(m.To))
		}
	}
	return lines
}

// Refresh asks once what other nodes did, as Run does again and again.
func (s *Service) Refresh(ctx context.Context) error { return s.refresh(ctx) }

// Room is what a node remembers of logins that wait.
type Room struct{ room waitingRoom }

// Keep remembers a login that starts now.
func (r *Room) Keep(sessionID string, now time.Time) { r.Read(sessionID, now)() }

// Read reads the row of a login that starts now; what it returns remembers it.
func (r *Room) Read(sessionID string, now time.Time) (keep func()) {
	read := r.room.ticket(sessionID)
	return func() {
		r.room.keep(&Session{
			ID: sessionID, Status: Pending, ExpiresAt: now.Add(ProveTime),
			TenantName: "Bamako Bank", cookieHash: seal.Hash(id.Token(32)), Words: strings.Clone("montagne riviere girafe"),
		}, now, ProveTime, read)
	}
}

// Forget is called when a login has moved.
func (r *Room) Forget(sessionID string) { r.room.forget(sessionID) }

// Len counts the logins that are remembered.
func (r *Room) Len() (n int) {
	for i := range r.room.shards {
		n += len(r.room.shards[i].logins)
	}
	return n
}
