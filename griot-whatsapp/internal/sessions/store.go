package sessions

import (
	"context"

	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
)

// sessionStore is the guarded store of sessions.
type sessionStore struct {
	wastore.SessionStore
	guard *Guard
}

// GetManySessions implements [wastore.SessionStore]. whatsmeow reads many sessions only to send a message.
func (s *sessionStore) GetManySessions(ctx context.Context, addresses []string) (found map[string][]byte, err error) {
	read := func() bool {
		found, err = s.SessionStore.GetManySessions(ctx, addresses)
		return err == nil
	}
	w := working(ctx)
	if w == nil {
		if late := s.guard.beginStep(ctx, manySessions, read); late != nil {
			return nil, late
		}
		return found, err
	}
	if !w.hasTurn {
		if err := s.guard.begin(ctx); err != nil {
			return nil, err
		}
		w.hasTurn = true
	}
	read()
	return found, err
}

// PutManySessions implements [wastore.SessionStore].
func (s *sessionStore) PutManySessions(ctx context.Context, list map[string][]byte) error {
	if w := working(ctx); w != nil && w.hasTurn {
		defer s.guard.endWork(w)
		return s.SessionStore.PutManySessions(ctx, list)
	}
	if !s.guard.endStep(manySessions) {
		return errLate
	}
	defer s.guard.end()
	return s.SessionStore.PutManySessions(ctx, list)
}

// GetSession implements [wastore.SessionStore]. whatsmeow writes each session back that it reads, unless the message can't be
// decrypted.
func (s *sessionStore) GetSession(ctx context.Context, address string) (found []byte, err error) {
	read := func() bool {
		found, err = s.SessionStore.GetSession(ctx, address)
		return err == nil
	}
	if w := working(ctx); w != nil && w.hasTurn {
		read()
		if w.read != nil {
			w.read[address] = found
		}
		return found, err
	}
	if late := s.guard.beginStep(ctx, address, read); late != nil {
		return nil, late
	}
	return found, err
}

// PutSession implements [wastore.SessionStore].
func (s *sessionStore) PutSession(ctx context.Context, address string, session []byte) error {
	if w := working(ctx); w != nil && w.hasTurn {
		return s.SessionStore.PutSession(ctx, address, restored(w.read[address], session))
	}
	if !s.guard.endStep(address) {
		return errLate
	}
	defer s.guard.end()
	return s.SessionStore.PutSession(ctx, address, session)
}

// DeleteSession implements [wastore.SessionStore].
func (s *sessionStore) DeleteSession(ctx context.Context, address string) error {
	return s.guard.alone(ctx, func() error { return s.SessionStore.DeleteSession(ctx, address) })
}

// DeleteAllSessions implements [wastore.SessionStore].
func (s *sessionStore) DeleteAllSessions(ctx context.Context, phone string) error {
	return s.guard.alone(ctx, func() error { return s.SessionStore.DeleteAllSessions(ctx, phone) })
}

// MigratePNToLID implements [wastore.SessionStore].
func (s *sessionStore) MigratePNToLID(ctx context.Context, pn, lid types.JID) error {
	return s.guard.alone(ctx, func() error { return s.SessionStore.MigratePNToLID(ctx, pn, lid) })
}
