package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// marksRead reports whether the driver can send read receipts.
func marksRead(s Subject) bool { return implements[gateway.Reader](s) && s.Provider.SendInbound != nil }

// checkReadMarks checks that each read receipt is sent with the ID of the inbound message, even if it is repeated.
// After Close or the end of the context, MarkRead fails.
func checkReadMarks(s Subject) error {
	reader, ok := s.Sender.(gateway.Reader)
	if !ok {
		return errors.New("not a gateway.Reader")
	}
	for n := range 2 {
		s.Provider.SendInbound(gateway.Inbound{Channel: s.Channel, From: s.To[0], To: s.From, Text: fmt.Sprintf("%s-%d", textWord, n)})
	}
	if err := s.wait(func() bool { return len(s.Sink.Messages()) >= 2 }); err != nil {
		return err
	}
	r := &gateway.Read{Channel: s.Channel, From: s.From, To: s.To[0], At: s.Clock.Now()}
	for _, in := range s.Sink.Messages() {
		r.IDs = append(r.IDs, in.ID)
	}
	for range 2 {
		if err := s.markRead(context.Background(), reader, r); err != nil {
			return err
		}
	}
	last := r.IDs[len(r.IDs)-1]
	if told := s.Provider.ReadMarks(); !slices.Contains(told, last) {
		return fmt.Errorf("the provider was told that %q were read, want %q among them", told, last)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := s.markRead(ended, reader, r); err == nil {
		return errors.New("MarkRead succeeds although its context has ended, want an error")
	}
	if err := closeInTime(s); err != nil {
		return err
	}
	if err := s.markRead(context.Background(), reader, r); err == nil {
		return errors.New("MarkRead succeeds after Close, want an error")
	}
	return nil
}

// markRead calls MarkRead and checks its error.
func (s Subject) markRead(ctx context.Context, reader gateway.Reader, r *gateway.Read) error {
	ctx, cancel := context.WithTimeout(ctx, waittest.Limit)
	defer cancel()
	err := reader.MarkRead(ctx, r)
	if err == nil {
		return nil
	}
	if word := s.leakedWord(err.Error()); word != "" {
		return fmt.Errorf("the error repeats %q, and it would be logged", word)
	}
	if failure, ok := errors.AsType[*gateway.Error](err); !ok || failure.Class == gateway.Unknown {
		return fmt.Errorf("MarkRead failed with a %T, want a *gateway.Error of another class than %q: %w", err, gateway.Unknown, err)
	}
	return err
}
