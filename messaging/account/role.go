package account

import (
	"slices"
	"time"

	"example.com/griot/internal/forms"
)

// A Role determines a person's rights in an account.
type Role string

// The roles.
const (
	RoleOwner     Role = "owner"     // all rights; the account has this person's address
	RoleDeveloper Role = "developer" // their projects, the keys that they create in them, and their logs
	RoleViewer    Role = "viewer"    // read access to logs and statistics
)

// OwnProjectsOnly reports whether the caller is a developer, who sees only their own projects, with their messages and keys,
// and sends by hand only simulated messages.
func (c *Caller) OwnProjectsOnly() bool { return c.Role == RoleDeveloper }

// ReadsConversations reports whether the caller can read the texts of conversations. Viewers can't.
func (c *Caller) ReadsConversations() bool { return c.Role != RoleViewer }

// Offered reports whether the owner can give a person the role.
func (r Role) Offered() bool { return r == RoleDeveloper || r == RoleViewer }

// A Membership is the role and the projects of a member.
type Membership struct {
	Role Role // empty: developer
	// Projects are a developer's projects, by ID. In an invitation, nil means the projects that exist when it is accepted.
	Projects []string
}

// Version returns the version of the values in a member's form, the role and a developer's projects: see package forms.
func (m Membership) Version() string {
	projects := slices.Sorted(slices.Values(m.Projects))
	if m.Role != RoleDeveloper {
		projects = nil
	}
	return forms.Version(append([]string{string(m.Role)}, projects...)...)
}

// RecentCode is the time after entering a code from an email during which a person can take actions that require a recent code.
const RecentCode = 15 * time.Minute

// HasRecentCode reports whether the caller has recently entered a code from an email.
func (c *Caller) HasRecentCode(now time.Time) bool { return isRecent(c.CodeAt, now) }

// HasRecentCode reports whether the session's person has recently entered a code from an email.
func (s *Session) HasRecentCode(now time.Time) bool { return isRecent(s.CodeAt, now) }

func isRecent(codeAt, now time.Time) bool {
	return !codeAt.IsZero() && now.Before(codeAt.Add(RecentCode))
}
