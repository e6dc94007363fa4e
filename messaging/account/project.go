package account

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// CreateProject creates a project.
//
// Errors: [ErrTooMany].
func (d *Directory) CreateProject(ctx context.Context, accountID, name string) (*Project, error) {
	return d.CreateOwnProject(ctx, accountID, "", "", name)
}

// ErrProjectMade reports that a project already has the ID.
var ErrProjectMade = errors.New("account: a project has the id already")

// CreateOwnProject creates a project. With a memberID, the project belongs to that developer. projectID is an ID26
// that makes the call idempotent: repeated calls create only one project. If it is empty, the project gets a new ID.
//
// Errors: [ErrTooMany], [ErrProjectMade], [ErrClosed], and [ErrNoMember] if the developer has been removed.
func (d *Directory) CreateOwnProject(ctx context.Context, accountID, memberID, projectID, name string) (*Project, error) {
	now := d.now()
	p := &Project{ID: cmp.Or(projectID, id.New(now)), AccountID: accountID, Name: name, CreatedAt: now}
	event := audit.New(ctx, now, accountID, audit.ProjectCreated, p.ID, "name", name)
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if open, err := lockOpen(tx, accountID); err != nil || !open { // the second of two concurrent requests waits for the first
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

// Projects lists an account's projects, oldest first.
func (d *Directory) Projects(ctx context.Context, accountID string) ([]Project, error) {
	return Projects(d.db.Read(ctx), accountID)
}

// ProjectsFor lists the projects that a caller can see, oldest first. Developers see their own projects, and others
// see all projects of the account.
func (d *Directory) ProjectsFor(ctx context.Context, c *Caller) ([]Project, error) {
	if c.OwnProjectsOnly() {
		return selectOwnProjects(d.db.Read(ctx), c.Account.ID, c.MemberID)
	}
	return d.Projects(ctx, c.Account.ID)
}

// SeesProject reports whether a caller can see the messages of a project, or with an empty projectID, those without a
// project. A project's key sees only those of its project, and developers only those of their projects.
func (d *Directory) SeesProject(ctx context.Context, c *Caller, projectID string) (bool, error) {
	if c.ProjectID != "" || !c.OwnProjectsOnly() {
		return c.ProjectID == "" || c.ProjectID == projectID, nil
	}
	projects, err := d.ProjectsFor(ctx, c)
	return slices.ContainsFunc(projects, func(p Project) bool { return p.ID == projectID }), err
}

// CheckProject checks the project to which a caller wants to restrict what they see; empty: none. Developers must name
// one of their projects.
//
// Errors: [apierror.InvalidRequest], [apierror.ProjectNotFound].
func (d *Directory) CheckProject(ctx context.Context, c *Caller, projectID string) error {
	switch {
	case projectID == "" && c.OwnProjectsOnly():
		return apierror.InvalidRequest.On("projectId").Detailf("A developer must send the projectId of one of their projects.")
	case projectID == "" || projectID == c.ProjectID:
		return nil
	case c.ProjectID != "":
		return apierror.ProjectNotFound.On("projectId")
	}
	projects, err := d.ProjectsFor(ctx, c)
	if err == nil && !slices.ContainsFunc(projects, func(p Project) bool { return p.ID == projectID }) {
		err = apierror.ProjectNotFound.On("projectId")
	}
	return err
}

// RenameProject renames a project. With a memberID, it renames only a project of that developer. found is false if
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

// DeleteProject deletes a project and revokes its keys. With a memberID, it deletes only a project of that developer.
// The project's messages stay. found is false if there is no such project.
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
