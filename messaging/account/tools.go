package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/audit"
)

// Tools is a set of groups of tools that a live key has at the assistant endpoint, in addition to the four that every
// live key has. The zero value is none. The account's owner or an operator turns groups on, for one key.
type Tools uint8

// The groups.
const (
	ToolSearch      Tools = 1 << iota // search in messages
	ToolUnread                        // list only unread conversations, and mark conversations as unread
	ToolAttachments                   // read small attachments
	ToolStatus                        // read a message's timeline, and the remaining quota
	ToolSend                          // send to people who have written to the account
)

// ToolNames returns the names of the groups in the order of their bits.
func ToolNames() []string { return []string{"search", "unread", "attachments", "status", "send"} }

// ParseTools returns the set of groups with the given names.
//
// Errors: invalid_request if a name is unknown.
func ParseTools(names []string) (Tools, error) {
	var t Tools
	for _, name := range names {
		i := slices.Index(ToolNames(), name)
		if i < 0 {
			return 0, apierror.InvalidRequest.On("assistantTools").Detailf("assistantTools can contain only %s.", strings.Join(ToolNames(), ", "))
		}
		t |= 1 << i
	}
	return t, nil
}

// toolsOf returns the tools of a key by its kind and the stored text. Unknown names have no effect, and only a live key
// can have tools.
func toolsOf(kind Kind, stored string) Tools {
	var t Tools
	for name := range strings.FieldsSeq(stored) {
		if i := slices.Index(ToolNames(), name); i >= 0 && kind == Live {
			t |= 1 << i
		}
	}
	return t
}

// Has reports whether the set contains all groups of another.
func (t Tools) Has(other Tools) bool { return t&other == other }

// Names returns the names of the groups. It is empty, not nil, if there are none.
func (t Tools) Names() []string {
	out := []string{}
	for i, name := range ToolNames() {
		if t.Has(1 << i) {
			out = append(out, name)
		}
	}
	return out
}

// String returns the names, separated by spaces.
func (t Tools) String() string { return strings.Join(t.Names(), " ") }

// Version returns the version of the values in the form of a key's tools: see package forms.
func (t Tools) Version() string { return forms.Version(t.Names()...) }

// ErrNoTools refuses tools for a test or project key, which has no access to the assistant endpoint.
var ErrNoTools = errors.New("account: only a live key can have assistant tools")

// SetTools replaces the tools of a live key, immediately on this node and within two seconds on others. shown is the
// version of the tools that a form showed ([Tools.Version]). It isn't checked if it is empty.
//
// Errors: [ErrNoKey], [ErrKeyInactive], [ErrNoTools], and [forms.ErrStale].
func (d *Directory) SetTools(ctx context.Context, accountID, keyID, shown string, to Tools) (*Key, error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.KeyChanged, keyID)
	var key *Key
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if err := lockKey(tx, accountID, keyID); err != nil {
			return nil, err
		}
		k, err := selectKey(&tx.Query, accountID, "", keyID)
		switch {
		case err != nil:
			return nil, err
		case k == nil:
			return ErrNoKey, nil
		case k.Kind != Live:
			return ErrNoTools, nil
		case !k.Works(now):
			return ErrKeyInactive, nil
		}
		if refused = forms.CheckVersion(shown, k.Tools.Version(), to.Version()); refused != nil {
			return refused, nil
		}
		before := k.Tools
		k.Tools, key = to, k
		if before == to {
			return nil, nil
		}
		if err := updateTools(tx, keyID, to); err != nil {
			return nil, err
		}
		return nil, recordChange(tx, event.With("prefix", k.Prefix, "tools", to.String(), "before", before.String()))
	})
	d.ForgetAll()
	if err != nil {
		return nil, err
	}
	return key, nil
}
