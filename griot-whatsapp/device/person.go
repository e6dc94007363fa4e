package device

import (
	"cmp"
	"context"
	"strings"

	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/protocol"
)

// Person is a person as WhatsApp has reported them. At least one of the fields is set, unless WhatsApp has reported none.
type Person struct {
	Number string // digits; empty: WhatsApp hides it
	ID     string // the LID, "123@lid", without a device; empty: unknown
}

const lidSuffix = "@" + types.HiddenUserServer

// lidOf returns a LID without its device, or "" if the address is none. People whose messages a service of Meta stores
// ("hosted") have the same LID.
func lidOf(j types.JID) string {
	if id := j.User + lidSuffix; (j.Server == types.HiddenUserServer || j.Server == types.HostedLIDServer) && protocol.IsLID(id) {
		return id
	}
	return ""
}

// numberOf returns the phone number of an address, or "" if it has none.
func numberOf(j types.JID) string {
	if (j.Server == types.DefaultUserServer || j.Server == types.HostedServer) && protocol.IsNumber(j.User) {
		return j.User
	}
	return ""
}

// lidAddress returns the address for a LID.
func lidAddress(id string) types.JID {
	return types.NewJID(strings.TrimSuffix(id, lidSuffix), types.HiddenUserServer)
}

// personOf returns the sender of a message or receipt whose stanza has shown a pair.
func personOf(source *types.MessageSource, shown Person) Person {
	return personAt(source.Sender, source.SenderAlt, shown)
}

// partnerOf returns the person to whom the owner of the number has written on another device.
func partnerOf(source *types.MessageSource, shown Person) Person {
	return personAt(source.Chat, source.RecipientAlt, shown)
}

// personAt returns the person with an address and another one, which can be empty. whatsmeow adds the LID to a number from its
// map, too, which can be that of the number's previous owner. So only a pair that the stanza has shown counts.
func personAt(address, other types.JID, shown Person) Person {
	p := Person{Number: numberOf(address), ID: lidOf(address)}
	switch p.Number {
	case "":
		p.Number = numberOf(other)
	case shown.Number:
		p = shown
	}
	return p
}

// shown returns the pair of a number and an ID that the stanza of a message has shown. It stores the pair of a hosted person,
// because whatsmeow stores only pairs of ordinary addresses. If that fails, the person's next message shows it again.
func (d *Device) shown(source *types.MessageSource) Person {
	if alt := source.SenderAlt; alt.Server == types.HostedServer || alt.Server == types.HostedLIDServer {
		number, id := cmp.Or(numberOf(source.Sender), numberOf(alt)), cmp.Or(lidOf(source.Sender), lidOf(alt))
		if number != "" && id != "" {
			_ = d.lids.PutLIDMapping(d.context(), lidAddress(id), types.NewJID(number, types.DefaultUserServer))
		}
	}
	return d.lids.take()
}

// Number returns the number that whatsmeow's map has for an ID, or "". WhatsApp might have reported it long ago.
func (d *Device) Number(ctx context.Context, id string) (string, error) {
	known, err := d.lids.GetPNForLID(ctx, lidAddress(id))
	return numberOf(known), err
}

// ID returns the ID that whatsmeow's map has for a number, or "".
func (d *Device) ID(ctx context.Context, number string) (string, error) {
	known, err := d.lids.GetLIDForPN(ctx, types.NewJID(number, types.DefaultUserServer))
	return lidOf(known), err
}
