package account

import (
	"strings"
	"time"

	"example.com/griot/internal/apierror"
)

// keyKinds is the set of API key kinds that an operation accepts.
type keyKinds uint8

// The zero value accepts no key.
const (
	anyKey     keyKinds = iota + 1 // including project keys (M11)
	accountKey                     // live and test keys
	liveKey
)

// roles is a set of roles of an account.
type roles uint8

// The roles.
const (
	ownerRole roles = 1 << iota
	developerRole
	viewerRole
)

// Permit defines the callers of an operation. The zero Permit allows no one.
type Permit struct {
	Keys   keyKinds
	Roles  roles // roles of signed-in users; 0: no session is accepted
	Code   bool  // a session needs an email code entered in the last 15 minutes ([RecentCode])
	Bearer bool  // the key must be in exactly one Authorization header

	Suspended bool // callers of a suspended account are allowed, too
}

// withCode returns the permit restricted to sessions with a recent code.
func (p Permit) withCode() Permit {
	p.Code = true
	return p
}

// whileSuspended returns the permit extended to callers of suspended accounts.
func (p Permit) whileSuspended() Permit {
	p.Suspended = true
	return p
}

// ForPeople returns the permit without keys, for pages.
func (p Permit) ForPeople() Permit {
	p.Keys = 0
	return p
}

// Allows reports whether the permit includes a role. It does not say whether a recent code is needed.
func (p Permit) Allows(r Role) bool {
	switch r {
	case RoleOwner:
		return p.Roles&ownerRole != 0
	case RoleDeveloper:
		return p.Roles&developerRole != 0
	case RoleViewer:
		return p.Roles&viewerRole != 0
	}
	return false
}

// Check returns the reason why a caller can't do what the permit is for, or nil.
//
// Errors: [apierror.AccountSuspended], [apierror.SessionRequired], [apierror.Forbidden], [apierror.LiveKeyRequired], and
// [apierror.RecentCodeRequired].
func (p Permit) Check(c *Caller, now time.Time) error {
	switch isKey := c.Kind != Dashboard; {
	case c.Account.Suspended() && !p.Suspended:
		return apierror.AccountSuspended.Err()
	case isKey && p.Keys == 0:
		return apierror.SessionRequired.Err()
	case isKey && p.Keys == accountKey && c.Kind == ProjectKey:
		return apierror.Forbidden.Err()
	case isKey && p.Keys == liveKey && !c.Owner():
		return apierror.LiveKeyRequired.Err()
	case !isKey && !p.Allows(c.Role):
		return apierror.Forbidden.Err().Detailf("Your role in this account, %s, doesn't include this action.", c.Role)
	case !isKey && p.Code && !c.HasRecentCode(now):
		return apierror.RecentCodeRequired.Err()
	}
	return nil
}

// String describes the permit: "live key, owner with a recent code". The zero Permit's is empty.
func (p Permit) String() string {
	var who []string
	switch p.Keys {
	case anyKey:
		who = append(who, "any key")
	case accountKey:
		who = append(who, "live key", "test key")
	case liveKey:
		who = append(who, "live key")
	}
	if p.Bearer {
		who[len(who)-1] += " as Authorization: Bearer"
	}
	for _, r := range []Role{RoleOwner, RoleDeveloper, RoleViewer} {
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
