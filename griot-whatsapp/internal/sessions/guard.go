package sessions

import (
	"context"
	"errors"
	"sync"
	"time"

	wastore "go.mau.fi/whatsmeow/store"
)

// Guard lets one goroutine at a time change the sessions of a device. whatsmeow reads the sessions of a message's recipients,
// encrypts, and writes them back. It does the same with one session when it decrypts a message, sends one again for a retry
// receipt, opens a session, or writes to the own phone. Nothing orders these: the one that writes last would undo what the
// others have counted, and the next message with a repeated counter is dropped by the recipient without a word. A turn begins
// when sessions are read, and ends when they are written back. It is safe for concurrent use.
type Guard struct {
	turn chan struct{} // held while sessions are read and not written back

	mu    sync.Mutex
	begun *step // of the turn whose end only the next call to the stores shows; nil: none
}

// step is a turn of a goroutine that has no [work].
type step struct {
	what string // what was read: the address of a session, manySessions, or bufferedEvent
	late *time.Timer
}

const (
	manySessions  = "many sessions"
	bufferedEvent = "a buffered event"

	// longestStep is the time after which the turn of a step ends. Some errors leave a session without a word: whatsmeow
	// can't read it, or its owner has another identity. What is written later than that is refused.
	longestStep = 10 * time.Second
)

var errLate = errors.New("the session might have been changed in the meantime")

// work is a message that is sent or decrypted. Its context contains it. Only one goroutine uses it.
type work struct {
	hasTurn bool
	read    map[string][]byte // the sessions of a decryption, as they were read
}

type workKey struct{}

// New guards the stores of a device. If the device has a guard, the new one replaces it.
func New(device *wastore.Device) *Guard {
	if earlier, ok := device.Sessions.(*sessionStore); ok {
		device.Sessions = earlier.SessionStore
	}
	if earlier, ok := device.EventBuffer.(*decryptions); ok {
		device.EventBuffer = earlier.EventBuffer
	}
	g := &Guard{turn: make(chan struct{}, 1)}
	device.Sessions, device.EventBuffer = &sessionStore{device.Sessions, g}, &decryptions{EventBuffer: device.EventBuffer, guard: g}
	return g
}

// Sending returns the context for one call of whatsmeow's SendMessage, and a function to call after it, because whatsmeow
// writes no session back if it has encrypted nothing.
func (g *Guard) Sending(ctx context.Context) (context.Context, func()) {
	w := &work{}
	return context.WithValue(ctx, workKey{}, w), func() { g.endWork(w) }
}

// working returns what the goroutine of a context does, or nil.
func working(ctx context.Context) *work {
	w, _ := ctx.Value(workKey{}).(*work)
	return w
}

// begin waits for the turn.
func (g *Guard) begin(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Guard) end() { <-g.turn }

func (g *Guard) endWork(w *work) {
	if w.hasTurn {
		w.hasTurn = false
		g.end()
	}
}

// beginStep calls read in a turn, which endStep ends if read returns true.
func (g *Guard) beginStep(ctx context.Context, what string, read func() (goesOn bool)) error {
	if err := g.begin(ctx); err != nil {
		return err
	}
	if !read() {
		g.end()
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &step{what: what}
	s.late = time.AfterFunc(longestStep, func() {
		if g.take(func(begun *step) bool { return begun == s }) {
			g.end()
		}
	})
	g.begun = s
	return nil
}

// endStep reports whether the turn of a step is still held. If so, the caller ends it.
func (g *Guard) endStep(what string) bool {
	return g.take(func(begun *step) bool { return begun.what == what })
}

// take forgets the step that has begun if it matches.
func (g *Guard) take(matches func(begun *step) bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.begun == nil || !matches(g.begun) {
		return false
	}
	g.begun.late.Stop()
	g.begun = nil
	return true
}

// alone calls change in a turn of its own, unless the goroutine has one.
func (g *Guard) alone(ctx context.Context, change func() error) error {
	if w := working(ctx); w != nil && w.hasTurn {
		return change()
	}
	if err := g.begin(ctx); err != nil {
		return err
	}
	defer g.end()
	return change()
}
