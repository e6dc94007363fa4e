package account

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/audit"
)

// joined gives a new member the projects that the invitation offers.
func (d *Directory) joined(ctx context.Context, tx *db.Tx, memberID string, i *Invitation, now time.Time) error {
	if i.Projects == nil {
		if err := addAllProjects(tx, i.AccountID, memberID); err != nil {
			return err
		}
	}
	for _, projectID := range i.Projects {
		if err := addProject(tx, i.AccountID, memberID, projectID); err != nil {
			return err
		}
	}
	event := audit.New(ctx, now, i.AccountID, audit.MemberJoined, memberID, "email", i.Email, "role", string(i.Role))
	event.Actor = actorOf(memberID, i.Email)
	return audit.Record(tx, event)
}

// ChangeMember changes a member's role, unless it is empty, and their projects, unless they are nil. It revokes the
// keys that they created and can no longer create. found is false if the account has no such member.
func (d *Directory) ChangeMember(ctx context.Context, accountID, memberID string, to Membership) (changed *Member, revokedKeys int64, found bool, err error) {
	return d.ChangeShownMember(ctx, accountID, memberID, "", to)
}

// ChangeShownMember is like [Directory.ChangeMember], for a form that showed a version of the member: see
// [Membership.Version]. It returns [forms.ErrStale] if the member has changed since then. An empty version is not checked.
func (d *Directory) ChangeShownMember(ctx context.Context, accountID, memberID, shown string, to Membership) (changed *Member, revokedKeys int64, found bool, err error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.MemberChanged, memberID)
	err = d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if shown != "" {
			m, ok, err := updateRole(tx, accountID, memberID, "") // locks the row
			if found = ok; err != nil || !found {
				return nil, err
			}
			if refused, err = checkShownMember(tx, m, shown, to); err != nil || refused != nil {
				return refused, err
			}
		}
		m, ok, err := updateRole(tx, accountID, memberID, to.Role) // first, because it prevents the creation of a key in the meantime
		if found = ok; err != nil || !found {
			return nil, err
		}
		if err := setProjects(tx, &m, to.Projects); err != nil {
			return nil, err
		}
		if revokedKeys, err = revokeForeignKeys(tx, memberID, now); err != nil {
			return nil, err
		}
		return nil, recordChange(tx, event.With("email", m.Email, "role", string(m.Role), "revokedKeys", strconv.FormatInt(revokedKeys, 10)))
	})
	d.ForgetAll()
	if err != nil || !found {
		return nil, 0, false, err
	}
	list, err := d.Members(ctx, accountID)
	for i := range list {
		if list[i].ID == memberID {
			changed = &list[i]
		}
	}
	return changed, revokedKeys, changed != nil, err
}

// checkShownMember returns a refusal if a member has changed since a form showed them. The member's row is locked.
func checkShownMember(tx *db.Tx, m Member, shown string, to Membership) (refused, err error) {
	projects, err := selectProjectsOfMembers(&tx.Query, m.AccountID)
	if err != nil {
		return nil, err
	}
	stored := Membership{Role: m.Role, Projects: projects[m.ID]}
	next := Membership{Role: cmp.Or(to.Role, m.Role), Projects: to.Projects}
	if to.Projects == nil {
		next.Projects = stored.Projects
	}
	return forms.CheckVersion(shown, stored.Version(), next.Version()), nil
}

// setProjects replaces a developer's projects, unless projects is nil. Other roles have none.
func setProjects(tx *db.Tx, m *Member, projects []string) error {
	if m.Role == RoleDeveloper && projects == nil {
		return nil
	}
	if err := removeProjects(tx, m.ID); err != nil || m.Role != RoleDeveloper {
		return err
	}
	for _, projectID := range projects {
		if err := addProject(tx, m.AccountID, m.ID, projectID); err != nil {
			return err
		}
	}
	return nil
}
