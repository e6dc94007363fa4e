package account

import (
	"context"

	"griot/internal/db"
	"griot/internal/id"
	"griot/messaging/audit"
)

// CreateProject makes a project.
//
// Errors: [ErrTooMany].
func (d *Directory) CreateProject(ctx context.Context, accountID, name string) (*Project, error) {
	now := d.now()
	p := &Project{ID: id.New(now), AccountID: accountID, Name: name, CreatedAt: now}
	event := audit.New(ctx, now, accountID, audit.ProjectCreated, p.ID, "name", name)
	full := false
	err := d.db.Write(ctx, func(tx *db.Tx) error {
		have, err := Projects(&tx.Query, accountID)
		if full = len(have) >= MaxProjects; err != nil || full {
			return err
		}
		if err := insertProject(tx, p); err != nil {
			return err
		}
		return audit.Record(tx, event)
	})
	if err == nil && full {
		err = ErrTooMany
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Projects lists an account's projects, the oldest first.
func (d *Directory) Projects(ctx context.Context, accountID string) ([]Project, error) {
	return Projects(d.db.Read(ctx), accountID)
}
