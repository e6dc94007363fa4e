package virtual

import (
	"context"
	"slices"

	"example.com/griot/gateway"
)

// Group is a WhatsApp group. Its messages have a separate list.
type Group struct {
	ID      string // "...@g.us"
	Name    string
	Members []string // people
	Senders []string // our numbers that belong to the group, E.164 digits; only they can write to it
	Admins  []string // the senders that are administrators of the group
}

// Groups implements [gateway.GroupLister]. The order is the same as in the options.
func (g *Gateway) Groups(ctx context.Context, from string) ([]gateway.Group, error) {
	select {
	case <-g.closed:
		return nil, &gateway.Error{Class: gateway.SenderDown, Code: "virtual_closed"}
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, &gateway.Error{Class: gateway.Temporary, Code: "virtual_canceled", Err: err}
	}
	list := []gateway.Group{}
	for _, group := range g.groups {
		if slices.Contains(group.Senders, from) {
			list = append(list, gateway.Group{
				ID: group.ID, Name: group.Name, Participants: len(group.Members) + len(group.Senders), IsAdmin: slices.Contains(group.Admins, from),
			})
		}
	}
	return list, nil
}

// group returns the group with a key.
func (g *Gateway) group(key string) (Group, bool) {
	i := slices.IndexFunc(g.groups, func(group Group) bool { return group.ID == key })
	if i < 0 {
		return Group{}, false
	}
	return g.groups[i], true
}
