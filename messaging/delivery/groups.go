package delivery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"griot/gateway"
	"griot/internal/fault"
	"griot/messaging/account"
)

// groupsWait is how long the gateways have to list their groups; Options.Attempt, where that is less.
const groupsWait = 10 * time.Second

// GroupList is the WhatsApp groups that an account can write to.
type GroupList struct {
	Groups []gateway.Group // each once, by name and then by id
	// Incomplete: another gateway of the account's could not tell its groups. A list
	// that lacks some must not pass for the whole.
	Incomplete bool
}

// Groups asks the account's own WhatsApp senders that are connected which groups
// they belong to, all at once. A gateway that knows no groups has none. IsAdmin
// says that one of the account's senders administers the group.
//
// The platform's senders are left out: their groups are no business of every account's.
//
// Errors: gateway_not_connected when no sender is connected; provider_error when
// every gateway that was asked failed or took too long. When some of them
// answered, the rest is returned as incomplete: one number's trouble hides no other's groups.
func (s *Service) Groups(ctx context.Context, a *account.Account) (*GroupList, error) {
	if s.o.Sandbox {
		return SimulatedGroups(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(groupsWait, s.o.Attempt))
	defer cancel()
	answers, asked, connected := make(chan groupsAnswer, len(a.Senders)), 0, false
	for i, from := range a.Senders {
		if from.Channel != gateway.WhatsApp || from.AccountID == "" || !s.connected(from) {
			continue
		}
		connected = true
		g, done := s.o.Gateways.Use(from.Gateway)
		lister, ok := g.(gateway.GroupLister)
		if !ok {
			done()
			continue
		}
		asked++
		s.calls.Go(func() {
			defer done()
			answers <- s.groupsOf(ctx, lister, from, i)
		})
	}
	if !connected {
		return nil, fault.GatewayNotConnected.Err()
	}
	return gather(ctx, answers, asked)
}

// SimulatedGroups is what a caller gets who must reach no gateway: one group, so
// that there is something to write to.
func SimulatedGroups() *GroupList {
	return &GroupList{Groups: []gateway.Group{{ID: "120363000000000000@g.us", Name: "Sandbox", Participants: 3, IsAdmin: true}}}
}

type groupsAnswer struct {
	place  int // of the sender among the account's
	groups []gateway.Group
	err    error
}

// groupsOf asks one gateway. What a driver does wrong, a panic too, is that sender's trouble only.
func (s *Service) groupsOf(ctx context.Context, lister gateway.GroupLister, from account.Sender, place int) (answer groupsAnswer) {
	answer.place = place
	defer func() {
		if p := recover(); p != nil {
			answer.err = fmt.Errorf("panic: %v", p)
		}
		if answer.err != nil {
			s.o.Log.Warn("listing groups", "gateway", from.Gateway, "senderId", from.ID, "err", answer.err)
		}
	}()
	answer.groups, answer.err = lister.Groups(ctx, from.Address)
	return answer
}

// gather joins the answers that come before ctx ends.
func gather(ctx context.Context, answers <-chan groupsAnswer, asked int) (*GroupList, error) {
	var good []groupsAnswer
	take := func(a groupsAnswer) {
		if a.err == nil {
			good = append(good, a)
		}
	}
	for range asked {
		select {
		case a := <-answers:
			take(a)
		case <-ctx.Done():
			select { // what has come is not left behind
			case a := <-answers:
				take(a)
			default:
			}
		}
	}
	if asked > 0 && len(good) == 0 {
		return nil, fault.ProviderError.Err().Detailf("No gateway listed its groups.")
	}
	slices.SortFunc(good, func(a, b groupsAnswer) int { return cmp.Compare(a.place, b.place) }) // the first sender's word counts
	list := &GroupList{Groups: []gateway.Group{}, Incomplete: len(good) < asked}
	at := map[string]int{}
	for _, a := range good {
		for _, g := range a.groups {
			if i, ok := at[g.ID]; ok {
				list.Groups[i].IsAdmin = list.Groups[i].IsAdmin || g.IsAdmin
				continue
			}
			at[g.ID] = len(list.Groups)
			list.Groups = append(list.Groups, g)
		}
	}
	slices.SortFunc(list.Groups, func(a, b gateway.Group) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// connected reports whether a sender's gateway can be asked something now: one that is only coming up takes messages, but can't.
func (s *Service) connected(from account.Sender) bool {
	return s.connection(from) == gateway.Connected
}
