package delivery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
)

// groupsWait is the time limit for the gateways to list their groups. If Options.Attempt is shorter, that limit applies.
const groupsWait = 10 * time.Second

// A GroupList lists the WhatsApp groups that an account can write to.
type GroupList struct {
	Groups []gateway.Group // without duplicates, sorted by name and then by ID
	// Incomplete means that another gateway of the account failed to list its groups.
	Incomplete bool
}

// Groups lists the groups of the account's own connected WhatsApp senders, or with simulated, and for a test key, one
// simulated group. It queries all of them concurrently. A gateway without support for groups has none. IsAdmin means
// that one of the account's senders is an administrator of the group.
//
// The platform's senders are left out, because their groups do not belong to the account.
//
// Errors: gateway_not_connected if no sender is connected; provider_error if every queried gateway failed or took too
// long. If some of them responded, their groups are returned as incomplete.
func (s *Service) Groups(ctx context.Context, c *account.Caller, simulated bool) (*GroupList, error) {
	if err := account.MayListGroups.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	if simulated || s.o.Sandbox || c.SandboxOnly() {
		return simulatedGroups(), nil
	}
	a := c.Account
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
		return nil, apierror.GatewayNotConnected.Err()
	}
	return joinGroups(ctx, answers, asked)
}

// simulatedGroups returns one group, for callers that must not reach a gateway.
func simulatedGroups() *GroupList {
	return &GroupList{Groups: []gateway.Group{{ID: "120363000000000000@g.us", Name: "Sandbox", Participants: 3, IsAdmin: true}}}
}

type groupsAnswer struct {
	position int // index of the sender among the account's senders
	groups   []gateway.Group
	err      error
}

// askGroups queries one gateway. A panic of its driver counts as an error of this sender.
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

// joinGroups joins the responses that arrive before ctx ends. If several senders list the same group, it uses the
// first sender's entry.
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
			select { // a response might have arrived at the same time
			case a := <-answers:
				take(a)
			default:
			}
		}
	}
	if asked > 0 && len(good) == 0 {
		return nil, apierror.ProviderError.Err().Detailf("No gateway listed its groups.")
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

// connected reports whether a sender's gateway is connected. A gateway that is connecting accepts messages, but cannot be queried.
func (s *Service) connected(from account.Sender) bool {
	return s.connection(from) == gateway.Connected
}
