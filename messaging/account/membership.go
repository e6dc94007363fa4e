package account

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// joined gives a new member what the invitation offers.
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

// ChangeMember gives a member another role, unless it is empty, and other projects, unless they are nil. The keys that
// they have made and may not make any more are revoked. found is false when the account has no such member.
func (d *Directory) ChangeMember(ctx context.Context, accountID, memberID string, to Membership) (changed *Member, revokedKeys int64, found bool, err error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.MemberChanged, memberID)
	err = d.db.Write(ctx, func(tx *db.Tx) error {
		m, ok, err := updateRole(tx, accountID, memberID, to.Role) // first: it keeps a key from being made meanwhile
		if found = ok; err != nil || !found {
			return err
		}
		if err := setProjects(tx, &m, to.Projects); err != nil {
			return err
		}
		if revokedKeys, err = revokeForeignKeys(tx, memberID, now); err != nil {
			return err
		}
		if err := audit.Record(tx, event.With("email", m.Email, "role", string(m.Role), "revokedKeys", strconv.FormatInt(revokedKeys, 10))); err != nil {
			return err
		}
		return NoteChange(tx)
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

// setProjects replaces a developer's projects, unless projects is nil. Others have none.
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
