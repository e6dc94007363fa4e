package session

import (
	"strings"

	"example.com/griot/messaging/account"
)

// Keys is the set of API key kinds that a route accepts.
type Keys uint8

// The zero value accepts no key.
const (
	AnyKey      Keys = iota + 1 // including project keys (M11)
	AccountKeys                 // live and test keys
	LiveKey
)

// Roles is a set of roles of an account.
type Roles uint8

// The roles.
const (
	Owner Roles = 1 << iota
	Developer
	Viewer
)

// Permit defines the callers of a route. The zero Permit allows no one.
type Permit struct {
	Keys   Keys
	Roles  Roles // roles of signed-in users; 0: the route accepts no session
	Code   bool  // a session needs an email code entered in the last 15 minutes ([account.RecentCode])
	Bearer bool  // the key must be in exactly one Authorization header

	Suspended bool // callers of a suspended account are allowed, too
}

// WithCode returns the permit restricted to sessions with a recent code.
func (p Permit) WithCode() Permit {
	p.Code = true
	return p
}

// WhileSuspended returns the permit extended to callers of suspended accounts.
func (p Permit) WhileSuspended() Permit {
	p.Suspended = true
	return p
}

// Allows reports whether the permit includes a role. It does not say whether a recent code is needed.
func (p Permit) Allows(r account.Role) bool {
	switch r {
	case account.RoleOwner:
		return p.Roles&Owner != 0
	case account.RoleDeveloper:
		return p.Roles&Developer != 0
	case account.RoleViewer:
		return p.Roles&Viewer != 0
	}
	return false
}

// String describes the permit: "live key, owner with a recent code". The zero Permit's is empty.
func (p Permit) String() string {
	var who []string
	switch p.Keys {
	case AnyKey:
		who = append(who, "any key")
	case AccountKeys:
		who = append(who, "live key", "test key")
	case LiveKey:
		who = append(who, "live key")
	}
	if p.Bearer {
		who[len(who)-1] += " as Authorization: Bearer"
	}
	for _, r := range []account.Role{account.RoleOwner, account.RoleDeveloper, account.RoleViewer} {
		if p.Allows(r) {
			who = append(who, string(r))
		}
	}
	if p.Code {
		who = append(who, "with a recent code")
	}
	if p.Suspended {
		who = append(who, "also while suspended")
	}
	return strings.Join(who, ", ")
}
