package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// listsGroups reports whether the driver lists groups, which exist only on WhatsApp.
func listsGroups(s Subject) bool {
	return s.Channel == gateway.WhatsApp && implements[gateway.GroupLister](s)
}

// checkGroups checks that the groups are those of the given number, in a stable order. After Close or the end of the
// context, Groups must fail instead of returning an empty list.
func checkGroups(s Subject) error {
	lister, ok := s.Sender.(gateway.GroupLister)
	if !ok {
		return errors.New("not a gateway.GroupLister")
	}
	if s.Provider.Groups == nil {
		return errors.New("a provider of a GroupLister needs Provider.Groups")
	}
	for range 2 {
		got, err := s.groups(context.Background(), lister, s.From)
		if err != nil {
			return fmt.Errorf("Groups: %w", err)
		}
		if want := s.Provider.Groups(); !slices.Equal(got, want) {
			return fmt.Errorf("Groups = %+v, want %+v", got, want)
		}
	}
	if got, err := s.groups(context.Background(), lister, "22320000999"); err == nil && len(got) > 0 {
		return fmt.Errorf("Groups of a number that isn't ours = %+v", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := s.groups(ctx, lister, s.From); err == nil {
		return fmt.Errorf("Groups = %+v although its context has ended, want an error", got)
	}
	if err := closeInTime(s); err != nil {
		return err
	}
	if got, err := s.groups(context.Background(), lister, s.From); err == nil {
		return fmt.Errorf("Groups = %+v after Close, want an error", got)
	}
	return nil
}

// groups calls Groups and checks each returned group.
func (s Subject) groups(ctx context.Context, lister gateway.GroupLister, from string) ([]gateway.Group, error) {
	ctx, cancel := context.WithTimeout(ctx, waittest.Limit)
	defer cancel()
	got, err := lister.Groups(ctx, from)
	if err != nil {
		if word := s.leakedWord(err.Error()); word != "" {
			return nil, fmt.Errorf("the error repeats %q, and it would be logged", word)
		}
		return nil, err
	}
	seen := map[string]bool{}
	for _, g := range got {
		if !strings.HasSuffix(g.ID, "@g.us") || seen[g.ID] || g.Participants < 0 {
			return nil, fmt.Errorf("%+v: want an id that ends in @g.us and is listed once, and no negative Participants", g)
		}
		seen[g.ID] = true
	}
	return got, nil
}
