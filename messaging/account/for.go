package account

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/resubmit"
	"example.com/griot/internal/visible"
)

// The methods below enforce the rules for keys and projects that people manage themselves, through the API or the
// dashboard. Their errors are returned to callers unchanged.

// MakeKeyFor creates a key for a signed-in user and returns it, only this once. Developers can create keys only for
// their own projects. The key's account and member are the caller's, regardless of the specification.
func (d *Directory) MakeKeyFor(ctx context.Context, c *Caller, s KeySpec) (*Key, string, error) {
	switch s.Kind {
	case Live, Test:
		if !c.Owner() {
			return nil, "", fault.Forbidden.On("kind").Detailf("A developer can create only project keys.")
		}
	case ProjectKey:
	default:
		return nil, "", fault.InvalidRequest.On("kind").Detailf("kind must be live, test, or project.")
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

// RotateKeyFor is [Directory.RotateKey] for a signed-in user. Developers can rotate only their own keys.
func (d *Directory) RotateKeyFor(ctx context.Context, c *Caller, keyID string, grace time.Duration, form resubmit.Form) (*Rotated, error) {
	rotated, err := d.RotateKey(ctx, c.Account.ID, c.MemberID, keyID, grace, form)
	return rotated, Refusal(err)
}

// CreateProjectFor creates a project for a signed-in user. A developer's project is their own. See [Directory.CreateOwnProject]
// for the id.
func (d *Directory) CreateProjectFor(ctx context.Context, c *Caller, projectID, name string) (*Project, error) {
	name, err := CheckName(name)
	if err != nil {
		return nil, err
	}
	p, err := d.CreateOwnProject(ctx, c.Account.ID, c.MemberID, projectID, name)
	return p, Refusal(err)
}

// RenameProjectFor renames a project for a signed-in user. For developers, the projects of others do not exist.
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

// CheckName returns the name of a project or a key without surrounding spaces.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, maxName) {
		return "", fault.InvalidRequest.On("name").Detailf("name must have 1 to %d visible characters.", maxName)
	}
	return name, nil
}

// CheckAccountName is like [CheckName], for an account. Its name appears in emails to other people.
func CheckAccountName(name string) (string, error) {
	name, err := CheckName(name)
	if err == nil && visible.HasAddress(name) {
		return "", fault.InvalidRequest.On("name").Detailf("An account's name can't contain a web address: no ://, www., or path.")
	}
	return name, err
}

// Refusal converts a refusal of the directory to the error for the caller. It returns any other error unchanged.
func Refusal(err error) error {
	for _, line := range []struct {
		err error
		as  *fault.Error
	}{
		{ErrTooMany, fault.TooManyItems.Err()},
		{ErrNoProject, fault.ProjectNotFound.On("projectId")},
		{ErrKeyKind, fault.InvalidRequest.On("projectId").Detailf("A project key needs projectId. Other keys can't have it.")},
		{ErrClosed, fault.AccountClosed.Err()},
		{ErrNoMember, fault.MemberNotFound.Err()},
		{ErrNoKey, fault.KeyNotFound.Err()},
		{ErrKeyInactive, fault.KeyInactive.Err()},
		{ErrNoTools, fault.InvalidRequest.On("assistantTools").Detailf("Only a live key can have assistant tools.")},
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
