package virtual

import (
	"context"
	"slices"

	"example.com/griot/gateway"
)

func (s *memory) messages(_ context.Context, address string) ([]message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []message
	s.lists.forEach(address, func(_ *phoneList, n *listEntry) {
		if !n.hidden() {
			list = append(list, *n.message)
		}
	})
	return list, nil
}

func (s *memory) attempts(_ context.Context, ref string) ([]attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []attempt
	s.attemptLog.each(func(a attempt) {
		if continues(ref, a.ref) {
			list = append(list, a)
		}
	})
	return list, nil
}

func (s *memory) recent(_ context.Context, n int) ([]activity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]activity, 0, len(s.lists.byOwner))
	for _, sh := range s.lists.byOwner {
		if !sh.lastAt.IsZero() {
			list = append(list, sh.activity)
		}
	}
	slices.SortFunc(list, func(a, b activity) int { return b.lastAt.Compare(a.lastAt) })
	return slices.Clone(list[:min(n, len(list))]), nil
}

func (s *memory) activity(_ context.Context, address string) (activity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh := s.lists.byOwner[address]; sh != nil {
		return sh.activity, nil
	}
	return activity{address: address}, nil
}

func (s *memory) receipts(_ context.Context, after int64, limit int) ([]queued[gateway.Receipt], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pendingReceipts.after(after, limit), nil
}

func (s *memory) removeReceipts(_ context.Context, seqs []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seq := range seqs {
		s.pendingReceipts.remove(seq)
	}
	return nil
}

func (s *memory) changes(_ context.Context, after int64, limit int) ([]queued[gateway.Change], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pendingChanges.after(after, limit), nil
}

func (s *memory) removeChanges(_ context.Context, seqs []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seq := range seqs {
		s.pendingChanges.remove(seq)
	}
	return nil
}

func (s *memory) inbound(_ context.Context, after int64, limit int) ([]queued[gateway.Inbound], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []queued[gateway.Inbound]
	for _, q := range s.pendingInbound.after(after, limit) {
		list = append(list, queued[gateway.Inbound]{q.seq, q.item.inbound()})
	}
	return list, nil
}

func (s *memory) markInboundDelivered(_ context.Context, seqs []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seq := range seqs {
		if n, ok := s.pendingInbound.remove(seq); ok {
			n.status = statusDelivered
		}
	}
	return nil
}

func (s *memory) option(_ context.Context, _ string, otherwise bool) (bool, error) {
	return otherwise, nil // memory does not survive a restart
}

func (s *memory) setOption(context.Context, string, bool) error { return nil }

func (s *memory) markRead(_ context.Context, address string, ids []string) (waiting bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists.forEach(address, func(_ *phoneList, n *listEntry) {
		switch {
		case n.direction != written || !slices.Contains(ids, n.id):
		case n.status == statusSent:
			waiting = true
		default:
			n.status = statusRead
		}
	})
	return waiting, nil
}
