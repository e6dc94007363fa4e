package device

import (
	"sync"

	"go.mau.fi/whatsmeow/types"
)

// turns keeps the order of each conversation: after an event that was not stored, its later ones aren't stored either, until
// the next connection, on which WhatsApp sends them all again. It is safe for concurrent use.
type turns struct {
	mu     sync.Mutex
	missed map[types.JID]bool // the conversations
	all    bool               // too many conversations have missed an event
}

// maxMissed is the number of conversations above which all of them wait.
const maxMissed = 1000

// inTurn calls handle for an event of a conversation if its earlier events were stored, and returns whether it was stored.
func (t *turns) inTurn(chat types.JID, handle func() bool) bool {
	chat = chat.ToNonAD()
	t.mu.Lock()
	waits := t.all || t.missed[chat]
	t.mu.Unlock()
	if waits {
		return false
	}
	if handle() {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed == nil {
		t.missed = map[types.JID]bool{}
	}
	t.missed[chat] = true
	t.all = len(t.missed) > maxMissed
	return false
}

// startAgain forgets what the previous connection has missed.
func (t *turns) startAgain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.missed)
	t.all = false
}
