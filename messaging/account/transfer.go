package account

import (
	"cmp"
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// Transfer makes a member the owner of an account, and the previous owner a member with a role. The keys that the new
// owner created as a member become the account's. If the previous owner becomes a developer, they get all projects.
//
// Errors: [ErrNoMember], [ErrEmailTaken] if the member owns another account, [ErrNotOwner].
func (d *Directory) Transfer(ctx context.Context, a *Account, memberID string, become Role) (newOwner string, err error) {
	now := d.now()
	oldID := id.New(now)
	event := audit.New(ctx, now, a.ID, audit.AccountTransferred, a.ID, "from", a.Email, "role", string(become))
	err = d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		newOwner = ""
		if owned, err := lockOwned(tx, a); err != nil || !owned { // first, because it prevents closing or transferring the account in the meantime
			return ErrNotOwner, err
		}
		email, found, err := removeMember(tx, a.ID, memberID, now)
		if err != nil || !found {
			return ErrNoMember, err
		}
		if _, refused, err = updateAccount(tx, a.ID, &Change{Email: &email}); err != nil || refused != nil {
			return nil, cmp.Or(err, refused) // roll back
		}
		old := &Invitation{Membership: Membership{Role: become}, AccountID: a.ID, Email: a.Email}
		if _, err := insertMember(tx, oldID, old, now); err != nil {
			return nil, err
		}
		if become == RoleDeveloper {
			if err := addAllProjects(tx, a.ID, oldID); err != nil {
				return nil, err
			}
		}
		if err := giveKeys(tx, a.ID, memberID); err != nil {
			return nil, err
		}
		newOwner = email
		return nil, recordChange(tx, event.With("to", email))
	})
	d.ForgetAll()
	return newOwner, err
}
