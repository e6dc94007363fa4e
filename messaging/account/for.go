package account

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/visible"
)

// The methods below hold the rules of what people do with projects and keys by themselves, whichever way they ask. Their
// errors are those that callers get.

// MakeKeyFor makes a key for who is signed in, and returns it, this once: a developer makes keys of their projects. Of the
// specification, the account and the member are the caller's.
func (d *Directory) MakeKeyFor(ctx context.Context, c *Caller, s KeySpec) (*Key, string, error) {
	switch s.Kind {
	case Live, Test:
		if !c.Owner() {
			return nil, "", fault.Forbidden.On("kind").Detailf("A developer makes project keys.")
		}
	case ProjectKey:
	default:
		return nil, "", fault.InvalidRequest.On("kind").Detailf("kind is live, test or project.")
	}
	if s.Name != "" {
		var err error
		if s.Name, err = CheckName(s.Name); err != nil {
			return nil, "", err
		}
	}
	s.AccountID, s.MemberID = c.Account.ID, c.MemberID
	k, secret, err := d.MakeKey(ctx, s)
	return k, secret, Refusal(err)
}

// RotateKeyFor is [Directory.RotateKey] for who is signed in: a developer rotates their own keys.
func (d *Directory) RotateKeyFor(ctx context.Context, c *Caller, keyID string, grace time.Duration) (*Rotated, error) {
	rotated, err := d.RotateKey(ctx, c.Account.ID, c.MemberID, keyID, grace)
	return rotated, Refusal(err)
}

// CreateProjectFor makes a project for who is signed in, a developer's own.
func (d *Directory) CreateProjectFor(ctx context.Context, c *Caller, name string) (*Project, error) {
	name, err := CheckName(name)
	if err != nil {
		return nil, err
	}
	p, err := d.CreateOwnProject(ctx, c.Account.ID, c.MemberID, name)
	return p, Refusal(err)
}

// RenameProjectFor gives a project another name for who is signed in. To a developer the projects of others do not exist.
func (d *Directory) RenameProjectFor(ctx context.Context, c *Caller, projectID, name string) error {
	name, err := CheckName(name)
	if err != nil {
		return err
	}
	found, err := d.RenameProject(ctx, c.Account.ID, c.MemberID, projectID, name)
	if err == nil && !found {
		err = fault.ProjectNotFound.Err()
	}
	return err
}

const maxName = 100 // characters

// CheckName returns the name of a project or a key without the spaces around it.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, maxName) {
		return "", fault.InvalidRequest.On("name").Detailf("name has 1 to %d characters, all of them visible.", maxName)
	}
	return name, nil
}

// CheckAccountName is [CheckName] for an account, whose name stands in mails to others.
func CheckAccountName(name string) (string, error) {
	name, err := CheckName(name)
	if err == nil && visible.HasAddress(name) {
		return "", fault.InvalidRequest.On("name").Detailf("An account's name has no address of a page: no ://, www. or path.")
	}
	return name, err
}

// Refusal returns the error that callers get where the directory has refused something, and others as they are.
func Refusal(err error) error {
	for _, line := range []struct {
		err error
		as  *fault.Error
	}{
		{ErrTooMany, fault.TooManyItems.Err()},
		{ErrNoProject, fault.ProjectNotFound.On("projectId")},
		{ErrKeyKind, fault.InvalidRequest.On("projectId").Detailf("A project key, and no other, has a projectId.")},
		{ErrClosed, fault.AccountClosed.Err()},
		{ErrNoMember, fault.MemberNotFound.Err()},
		{ErrNoKey, fault.KeyNotFound.Err()},
		{ErrKeyInactive, fault.KeyInactive.Err()},
		{ErrAlreadyMember, fault.AlreadyMember.On("email")},
		{ErrNoInvitation, fault.InvitationNotFound.On("token")},
		{ErrInvitationUsed, fault.InvitationUsed.On("token")},
		{ErrInvitationExpired, fault.InvitationExpired.On("token")},
		{ErrInvitationForeign, fault.InvitationForeign.On("token")},
	} {
		if errors.Is(err, line.err) {
			return line.as
		}
	}
	return err
}
