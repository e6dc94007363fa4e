package delivery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/fault"
	"example.com/griot/messaging/account"
)

// groupsWait is how long the gateways have to list their groups; Options.Attempt, where that is less.
const groupsWait = 10 * time.Second

// GroupList lists the WhatsApp groups that an account can write to.
type GroupList struct {
	Groups []gateway.Group // each once, by name and then by id
	// Incomplete means that another gateway of the account's failed to list its groups.
	Incomplete bool
}

// Groups asks the account's own WhatsApp senders that are connected which groups
// they belong to, all at once. A gateway that knows no groups has none. IsAdmin
// says that one of the account's senders administers the group.
//
// The platform's senders are left out: their groups aren't the account's.
//
// Errors: gateway_not_connected when no sender is connected; provider_error when
// every gateway that was asked failed or took too long. When some of them
// answered, their groups are returned as incomplete.
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
			answers <- s.askGroups(ctx, lister, from, i)
		})
	}
	if !connected {
		return nil, fault.GatewayNotConnected.Err()
	}
	return joinGroups(ctx, answers, asked)
}

// SimulatedGroups returns one group, for callers that must not reach a gateway.
func SimulatedGroups() *GroupList {
	return &GroupList{Groups: []gateway.Group{{ID: "120363000000000000@g.us", Name: "Sandbox", Participants: 3, IsAdmin: true}}}
}

type groupsAnswer struct {
	position int // of the sender among the account's
	groups   []gateway.Group
	err      error
}

// askGroups asks one gateway. A panic of its driver counts as an error of this sender.
func (s *Service) askGroups(ctx context.Context, lister gateway.GroupLister, from account.Sender, place int) (answer groupsAnswer) {
	answer.position = place
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

// joinGroups joins the answers that come before ctx ends. Of a group that several list, the first sender's entry counts.
func joinGroups(ctx context.Context, answers <-chan groupsAnswer, asked int) (*GroupList, error) {
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
			select { // an answer may have come at the same time
			case a := <-answers:
				take(a)
			default:
			}
		}
	}
	if asked > 0 && len(good) == 0 {
		return nil, fault.ProviderError.Err().Detailf("No gateway listed its groups.")
	}
	slices.SortFunc(good, func(a, b groupsAnswer) int { return cmp.Compare(a.position, b.position) })
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

// connected reports whether a sender's gateway is connected. One that is connecting takes messages, but can't be queried.
func (s *Service) connected(from account.Sender) bool {
	return s.connection(from) == gateway.Connected
}
