package account

import (
	"cmp"
	"context"
	"errors"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// CreateProject makes a project.
//
// Errors: [ErrTooMany].
func (d *Directory) CreateProject(ctx context.Context, accountID, name string) (*Project, error) {
	return d.CreateOwnProject(ctx, accountID, "", "", name)
}

// ErrProjectMade is the error of an id that a project has already.
var ErrProjectMade = errors.New("account: a project has the id already")

// CreateOwnProject makes a project, with a memberID one that is that developer's. projectID is an ID26, with which one
// project is made, however often it is tried; empty: a new one.
//
// Errors: [ErrTooMany], [ErrProjectMade], [ErrClosed], and [ErrNoMember] when the developer has been removed.
func (d *Directory) CreateOwnProject(ctx context.Context, accountID, memberID, projectID, name string) (*Project, error) {
	now := d.now()
	p := &Project{ID: cmp.Or(projectID, id.New(now)), AccountID: accountID, Name: name, CreatedAt: now}
	event := audit.New(ctx, now, accountID, audit.ProjectCreated, p.ID, "name", name)
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if open, err := lockOpen(tx, accountID); err != nil || !open { // of two requests, the second waits for the first
			return ErrClosed, err
		}
		if exists, err := existsProject(&tx.Query, p.ID); err != nil || exists {
			return ErrProjectMade, err
		}
		if memberID != "" {
			if found, err := lockDeveloper(tx, accountID, memberID); err != nil || !found {
				return ErrNoMember, err
			}
		}
		if have, err := Projects(&tx.Query, accountID); err != nil || len(have) >= MaxProjects {
			return ErrTooMany, err
		}
		if err := insertProject(tx, p); err != nil {
			return nil, err
		}
		if memberID != "" {
			if err := addProject(tx, accountID, memberID, p.ID); err != nil {
				return nil, err
			}
		}
		return nil, audit.Record(tx, event)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Projects lists an account's projects, the oldest first.
func (d *Directory) Projects(ctx context.Context, accountID string) ([]Project, error) {
	return Projects(d.db.Read(ctx), accountID)
}

// ProjectsFor lists the projects that a caller may see, the oldest first: a developer their own, others all of the account.
func (d *Directory) ProjectsFor(ctx context.Context, c *Caller) ([]Project, error) {
	if c.Role == RoleDeveloper {
		return selectOwnProjects(d.db.Read(ctx), c.Account.ID, c.MemberID)
	}
	return d.Projects(ctx, c.Account.ID)
}

// RenameProject gives a project another name; with a memberID only one that is that developer's. found is false when
// there is no such project.
func (d *Directory) RenameProject(ctx context.Context, accountID, memberID, projectID, name string) (found bool, err error) {
	event := audit.New(ctx, d.now(), accountID, audit.ProjectChanged, projectID, "name", name)
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		if found, err = hasProject(&tx.Query, accountID, memberID, projectID); err != nil || !found {
			return err
		}
		if err := updateProject(tx, accountID, projectID, name); err != nil {
			return err
		}
		return audit.Record(tx, event)
	})
	return found && err == nil, err
}

// DeleteProject deletes a project and revokes its keys; with a memberID only one that is that developer's. Its messages
// stay. found is false when there is no such project.
func (d *Directory) DeleteProject(ctx context.Context, accountID, memberID, projectID string) (revokedKeys int64, found bool, err error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.ProjectDeleted, projectID)
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		if found, err = hasProject(&tx.Query, accountID, memberID, projectID); err != nil || !found {
			return err
		}
		if err := deleteProject(tx, accountID, projectID, now); err != nil {
			return err
		}
		if revokedKeys, err = revokeKeysIn(tx, projectID, now); err != nil {
			return err
		}
		return recordChange(tx, event)
	})
	d.ForgetAll()
	return revokedKeys, found && err == nil, err
}
