package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"griot/gateway"
)

// listsGroups: groups are WhatsApp's.
func listsGroups(s Subject) bool { return s.Channel == gateway.WhatsApp && is[gateway.GroupLister](s) }

// The groups are those of the number that was asked for, in an order that stays; an end of the context or of the driver
// is an error, so that a list that could not be had isn't taken for an empty one.
func judgeGroups(s Subject) error {
	lister, ok := s.Sender.(gateway.GroupLister)
	if !ok {
		return errors.New("not a gateway.GroupLister")
	}
	if s.Far.Groups == nil {
		return errors.New("a far end that knows groups tells them: FarEnd.Groups")
	}
	for range 2 {
		got, err := s.groups(context.Background(), lister, s.From)
		if err != nil {
			return fmt.Errorf("Groups: %w", err)
		}
		if want := s.Far.Groups(); !slices.Equal(got, want) {
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
	if err := closeSoon(s); err != nil {
		return err
	}
	if got, err := s.groups(context.Background(), lister, s.From); err == nil {
		return fmt.Errorf("Groups = %+v after Close, want an error", got)
	}
	return nil
}

// groups asks for the groups, and holds the answer to the rules that hold for each.
func (s Subject) groups(ctx context.Context, lister gateway.GroupLister, from string) ([]gateway.Group, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	got, err := lister.Groups(ctx, from)
	if err != nil {
		if word := s.telling(err.Error()); word != "" {
			return nil, fmt.Errorf("the error repeats %q, and it would be logged", word)
		}
		return nil, err
	}
	seen := map[string]bool{}
	for _, g := range got {
		if !strings.HasSuffix(g.ID, "@g.us") || seen[g.ID] || g.Participants < 0 {
			return nil, fmt.Errorf("%+v: an id ends in @g.us and is there once, and nobody is fewer than none", g)
		}
		seen[g.ID] = true
	}
	return got, nil
}
