package device

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/socket"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
)

const (
	// groupFor is the time for which WhatsApp's confirmation that a number belongs to a group is cached.
	groupFor = 10 * time.Minute
	// spellingFor is the time for which WhatsApp's response about another spelling of a number is cached.
	spellingFor = 24 * time.Hour
	// maxSpellings is the maximum number of such responses in the cache.
	maxSpellings = 4096
)

// spelling is WhatsApp's ID of a person whose number is spelled differently there.
type spelling struct {
	to types.JID
	at time.Time
}

// Find returns the person of a number as WhatsApp knows them: the number in WhatsApp's spelling, or only the ID if WhatsApp
// does not show the number.
func (d *Device) Find(ctx context.Context, number string) (Person, *Failure) {
	to, f := d.find(ctx, number)
	if f != nil {
		return Person{}, f
	}
	return Person{Number: numberOf(to), ID: lidOf(to)}, nil
}

func (d *Device) resolve(ctx context.Context, m Message) (types.JID, *Failure) {
	if m.GroupID != "" {
		return d.resolveGroup(ctx, m.GroupID)
	}
	return d.address(ctx, m.To)
}

// address returns the ID that messages for a person are sent to.
func (d *Device) address(ctx context.Context, p Person) (types.JID, *Failure) {
	if p.ID != "" {
		return lidAddress(p.ID), nil
	}
	return d.find(ctx, p.Number)
}

// find returns the ID that messages for a number are sent to. In some countries, a number has two spellings, and
// WhatsApp knows only one of them. find asks WhatsApp only about people that it does not know yet.
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

// knows reports whether whatsmeow can send to an ID without asking WhatsApp about it.
func (d *Device) knows(ctx context.Context, to types.JID) (bool, error) {
	if to.Server != types.DefaultUserServer {
		return to.Server == types.HiddenUserServer, nil
	}
	lid, err := d.client.Store.LIDs.GetLIDForPN(ctx, to)
	return !lid.IsEmpty(), err
}

// contactQuery is the query that whatsmeow's IsOnWhatsApp sends. That function does not return whether WhatsApp has said
// that nobody has the number, or has left the number out of its response.
var contactQuery = []waBinary.Node{
	{Tag: "contact", Attrs: waBinary.Attrs{"addressing_mode": "lid"}},
	{Tag: "business", Content: []waBinary.Node{{Tag: "verified_name"}}},
	{Tag: "disappearing_mode"},
	{Tag: "username"},
}

// lookup is WhatsApp's response about a number.
type lookup struct {
	is, isNot bool   // neither: WhatsApp has said nothing about the number
	code      int    // the error of the query for this number; 0: none
	person    Person // the number in WhatsApp's spelling, and the ID; either can be empty
}

// lookupOf reads the response to a query about one number.
func lookupOf(list *waBinary.Node) (l lookup) {
	for _, user := range list.GetChildren() {
		said, ok := user.GetOptionalChildByTag("contact")
		if user.Tag != "user" || !ok {
			continue
		}
		kind, _ := said.Attrs["type"].(string)
		l.is, l.isNot = kind == "in", kind == "out" || kind == "invalid"
		if refused, ok := said.GetOptionalChildByTag("error"); ok {
			l.code = refused.AttrGetter().OptionalInt("code")
		}
		for _, key := range []string{"pn_jid", "jid"} {
			address, _ := user.Attrs[key].(types.JID)
			l.person.Number, l.person.ID = cmp.Or(l.person.Number, numberOf(address)), cmp.Or(l.person.ID, lidOf(address))
		}
		if l.is {
			break
		}
	}
	return l
}

// ask asks WhatsApp for the owner of a number. The response has the ID, the number as WhatsApp spells it, or both, which
// whatsmeow's map then has.
func (d *Device) ask(ctx context.Context, number string) (types.JID, *Failure) {
	client := d.client.DangerousInternals() //nolint:staticcheck // IsOnWhatsApp does not tell "nobody" from no response
	list, err := client.Usync(ctx, []types.JID{types.NewJID("+"+number, types.LegacyUserServer)}, "query", "interactive", contactQuery)
	if err != nil {
		return types.JID{}, queryFailure(err)
	}
	l := lookupOf(list)
	switch {
	case l.isNot:
		return types.JID{}, &Failure{Class: Unreachable, Code: "not_on_whatsapp"}
	case l.code != 0:
		return types.JID{}, refusedQuery(l.code)
	case !l.is:
		return types.JID{}, &Failure{Class: Temporary, Code: "lookup_failed"}
	case l.person.Number == "" && l.person.ID != "":
		return lidAddress(l.person.ID), nil
	}
	return d.pair(ctx, Person{Number: cmp.Or(l.person.Number, number), ID: l.person.ID})
}

// pair returns the address of a number that WhatsApp knows, and ensures that whatsmeow's map has its ID, which whatsmeow
// needs to send.
func (d *Device) pair(ctx context.Context, p Person) (types.JID, *Failure) {
	failed := &Failure{Class: Temporary, Code: "store_failed"}
	to := types.NewJID(p.Number, types.DefaultUserServer)
	if p.ID == "" {
		known, err := d.knows(ctx, to)
		if err != nil {
			return to, failed
		}
		if known {
			return to, nil
		}
		info, err := d.client.GetUserInfo(ctx, []types.JID{to})
		if err != nil {
			return to, queryFailure(err)
		}
		if p.ID = lidOf(info[to].LID); p.ID == "" {
			return to, &Failure{Class: Temporary, Code: "lookup_failed"}
		}
	}
	// whatsmeow stores only pairs of ordinary addresses, and WhatsApp also reports hosted ones.
	if err := d.lids.PutManyLIDMappings(ctx, []wastore.LIDMapping{{LID: lidAddress(p.ID), PN: to}}); err != nil {
		return to, failed
	}
	return to, nil
}

// remembered returns WhatsApp's cached response about a spelling, or the empty ID.
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
	for old := range d.spellings { // any entry can be requested again
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
		return to, queryFailure(err)
	}
	d.mu.Lock()
	d.groups[to] = time.Now()
	d.mu.Unlock()
	return to, nil
}

// openSessions ensures that a person has at least one device for which a message can be encrypted. Without it, whatsmeow
// submits a message that no device can read, and WhatsApp acknowledges it. to is an ID. The caller holds the turn, because
// two messages that open the same session would use the same key.
func (d *Device) openSessions(ctx context.Context, to types.JID) *Failure {
	// The same two as for the message, whose answers whatsmeow caches.
	devices, err := d.client.GetUserDevices(ctx, []types.JID{to, d.client.Store.GetLID().ToNonAD()})
	if err != nil {
		return queryFailure(err)
	}
	var missing []types.JID
	open := false
	for _, device := range devices {
		if device.User != to.User {
			continue
		}
		has, err := d.client.Store.ContainsSession(ctx, device.SignalAddress())
		if err != nil {
			return &Failure{Class: Temporary, Code: "store_failed"}
		}
		if open = open || has; !has {
			missing = append(missing, device)
		}
	}
	if !open && len(missing) > 0 { // otherwise, whatsmeow asks for the rest
		client := d.client.DangerousInternals() //nolint:staticcheck // whatsmeow offers no other way to open a session before a message
		for device, bundle := range client.FetchPreKeysNoError(ctx, missing) {
			// This opens the session; the empty message isn't sent.
			if _, _, err := client.EncryptMessageForDevice(ctx, nil, device, bundle, nil, nil); err == nil {
				open = true
			}
		}
	}
	switch {
	case open:
		return nil
	case ctx.Err() != nil:
		return queryFailure(ctx.Err())
	}
	return &Failure{Class: Temporary, Code: "lookup_failed"}
}

// queryFailure converts the error of a query to a failure. A query submits nothing, so a retry is safe.
func queryFailure(err error) *Failure {
	refused, isRefusal := errors.AsType[*whatsmeow.IQError](err)
	switch {
	case isRefusal && refused.Code != 0:
		return refusedQuery(refused.Code)
	case disconnected(err):
		return &Failure{Class: Temporary, Code: "number_disconnected"}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, whatsmeow.ErrIQTimedOut):
		return &Failure{Class: Temporary, Code: "timeout"}
	}
	return &Failure{Class: Temporary, Code: "lookup_failed"}
}

// refusedQuery is the failure if WhatsApp refuses a query with an error.
func refusedQuery(code int) *Failure {
	if code == http.StatusTooManyRequests {
		return slowDown(strconv.Itoa(code))
	}
	return &Failure{Class: Temporary, Code: "lookup_failed", ProviderCode: strconv.Itoa(code)}
}

// disconnected reports whether a query or a message failed because there was no connection.
func disconnected(err error) bool {
	_, interrupted := errors.AsType[*whatsmeow.DisconnectedError](err)
	return interrupted || errors.Is(err, whatsmeow.ErrNotConnected) || errors.Is(err, whatsmeow.ErrNotLoggedIn) || errors.Is(err, socket.ErrSocketClosed)
}
