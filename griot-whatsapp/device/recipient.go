package device

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types"
)

const (
	// groupFor is how long a number is taken to be in a group after WhatsApp has said so.
	groupFor = 10 * time.Minute
	// spellingFor is how long WhatsApp's answer to another spelling of a number is used again.
	spellingFor = 24 * time.Hour
	// maxSpellings is how many such answers are in memory.
	maxSpellings = 4096
)

// spelling is WhatsApp's id of a person whose number has another spelling there.
type spelling struct {
	to types.JID
	at time.Time
}

// Canonical returns the number by which WhatsApp knows a person, or the given one if WhatsApp does not tell.
func (d *Device) Canonical(ctx context.Context, number string) (string, *Failure) {
	to, f := d.find(ctx, number)
	if f != nil || to.Server != types.DefaultUserServer {
		return number, f
	}
	return to.User, nil
}

func (d *Device) resolve(ctx context.Context, m Message) (types.JID, *Failure) {
	if m.GroupID != "" {
		return d.resolveGroup(ctx, m.GroupID)
	}
	return d.find(ctx, m.To)
}

// find returns the id to which messages for a number are sent. In some countries a number has two spellings, and WhatsApp
// knows only one of them. It asks WhatsApp only if it does not know the person yet.
func (d *Device) find(ctx context.Context, number string) (types.JID, *Failure) {
	given := types.NewJID(number, types.DefaultUserServer)
	for _, to := range []types.JID{given, d.remembered(number)} {
		known, err := d.knows(ctx, to)
		if err != nil {
			return given, &Failure{Class: Temporary, Code: "store_failed"}
		}
		if known {
			return to, nil
		}
	}
	to, f := d.ask(ctx, number)
	if f == nil && to != given {
		d.remember(number, to)
	}
	return to, f
}

// knows reports whether whatsmeow sends to an id without asking WhatsApp who that is.
func (d *Device) knows(ctx context.Context, to types.JID) (bool, error) {
	if to.Server != types.DefaultUserServer {
		return to.Server == types.HiddenUserServer, nil
	}
	lid, err := d.client.Store.LIDs.GetLIDForPN(ctx, to)
	return !lid.IsEmpty(), err
}

// ask asks WhatsApp who has a number. The answer has the person's number as WhatsApp spells it; whatsmeow stores it with the id.
func (d *Device) ask(ctx context.Context, number string) (types.JID, *Failure) {
	failed := &Failure{Class: Temporary, Code: "lookup_failed"}
	found, err := d.client.IsOnWhatsApp(ctx, []string{"+" + number})
	if err != nil {
		return types.JID{}, failed
	}
	for _, user := range found {
		if !user.IsIn {
			continue
		}
		to := user.JID.ToNonAD()
		if user.PhoneNumber.Server == types.DefaultUserServer {
			to = user.PhoneNumber.ToNonAD()
		}
		known, err := d.knows(ctx, to)
		if err != nil {
			return to, &Failure{Class: Temporary, Code: "store_failed"}
		}
		if known {
			return to, nil
		}
		// The answer has no id, which whatsmeow needs.
		info, err := d.client.GetUserInfo(ctx, []types.JID{to})
		if err != nil {
			return to, failed
		}
		if !info[to].LID.IsEmpty() {
			return to, nil
		}
	}
	return types.JID{}, &Failure{Class: Unreachable, Code: "not_on_whatsapp"}
}

// remembered returns WhatsApp's latest answer to a spelling, or the empty id.
func (d *Device) remembered(number string) types.JID {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.spellings[number]
	if time.Since(s.at) > spellingFor {
		return types.JID{}
	}
	return s.to
}

func (d *Device) remember(number string, to types.JID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for old := range d.spellings { // any other can be asked for again
		if len(d.spellings) < maxSpellings {
			break
		}
		delete(d.spellings, old)
	}
	d.spellings[number] = spelling{to: to, at: time.Now()}
}

var groupID = regexp.MustCompile(`^[0-9]{5,30}(-[0-9]{5,20})?(@g\.us)?$`)

func (d *Device) resolveGroup(ctx context.Context, id string) (types.JID, *Failure) {
	if !groupID.MatchString(id) {
		return types.JID{}, &Failure{Class: Permanent, Code: "group_invalid"}
	}
	to := types.NewJID(strings.TrimSuffix(id, "@g.us"), types.GroupServer)
	d.mu.Lock()
	fresh := time.Since(d.groups[to]) < groupFor
	d.mu.Unlock()
	if fresh {
		return to, nil
	}
	_, err := d.client.GetGroupInfo(ctx, to)
	switch {
	case errors.Is(err, whatsmeow.ErrGroupNotFound), errors.Is(err, whatsmeow.ErrNotInGroup), errors.Is(err, whatsmeow.ErrIQBadRequest):
		return to, &Failure{Class: Permanent, Code: "group_unknown"}
	case err != nil:
		return to, &Failure{Class: Temporary, Code: "lookup_failed"}
	}
	d.mu.Lock()
	d.groups[to] = time.Now()
	d.mu.Unlock()
	return to, nil
}
