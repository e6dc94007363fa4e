package account

import (
	"slices"
	"time"

	"example.com/griot/internal/stale"
)

// Role is what a person may do in an account.
type Role string

// The roles.
const (
	RoleOwner     Role = "owner"     // everything; it is whose address the account has
	RoleDeveloper Role = "developer" // their projects, the keys that they make in them, and their logs
	RoleViewer    Role = "viewer"    // logs and statistics, to read
)

// Offered reports whether the owner can give somebody the role.
func (r Role) Offered() bool { return r == RoleDeveloper || r == RoleViewer }

// Membership is what a member has.
type Membership struct {
	Role Role // empty: developer
	// Projects are a developer's, by their ids; nil, of an invitation: those that there are when it is accepted.
	Projects []string
}

// Version returns the version of what a member's form shows, the role and a developer's projects: see package stale.
func (m Membership) Version() string {
	projects := slices.Sorted(slices.Values(m.Projects))
	if m.Role != RoleDeveloper {
		projects = nil
	}
	return stale.Version(append([]string{string(m.Role)}, projects...)...)
}

// RecentCode is how long after a code from an email its person may do what needs one.
const RecentCode = 15 * time.Minute

// HasRecentCode reports whether the caller has given a code from an email lately.
func (c *Caller) HasRecentCode(now time.Time) bool { return isRecent(c.CodeAt, now) }

// HasRecentCode reports whether the session's person has given a code from an email lately.
func (s *Session) HasRecentCode(now time.Time) bool { return isRecent(s.CodeAt, now) }

func isRecent(codeAt, now time.Time) bool {
	return !codeAt.IsZero() && now.Before(codeAt.Add(RecentCode))
}
