package account

import (
	"context"

	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/seal"
)

// CreateKey makes a key and returns it, this once: the database keeps its hash.
func (d *Directory) CreateKey(ctx context.Context, accountID, projectID string, kind Kind) (string, error) {
	now := d.now()
	key, keyID := newKey(kind), id.New(now)
	err := d.db.Write(ctx, func(tx *db.Tx) error {
		return insertKey(tx, keyID, accountID, projectID, kind, seal.Hash(key), key[:prefixSize], db.Ms(now))
	})
	return key, err
}

// Spec describes an account that is to be made.
type Spec struct {
	Name, Email, Plan string
	RecipientCap      int64 // messages a recipient and day; 0: none
	Senders           []Sender
	Projects          []string
}

// Create makes an account with its senders and projects, in one transaction.
func (d *Directory) Create(ctx context.Context, s *Spec) (*Account, error) {
	now := d.now()
	a := &Account{
		ID: id.New(now), Name: s.Name, Email: s.Email, Plan: planNamed(s.Plan), RecipientCap: s.RecipientCap, CreatedAt: now,
	}
	for i, sender := range s.Senders {
		sender.ID, sender.AccountID, sender.Position = "snd_"+id.New(now), a.ID, i
		a.Senders = append(a.Senders, sender)
	}
	var projects []Project
	for _, name := range s.Projects {
		projects = append(projects, Project{ID: id.New(now), AccountID: a.ID, Name: name})
	}
	err := d.db.Write(ctx, func(tx *db.Tx) error {
		if err := Insert(tx, a); err != nil {
			return err
		}
		for i := range a.Senders {
			if err := InsertSender(tx, &a.Senders[i], db.Ms(now)); err != nil {
				return err
			}
		}
		for i := range projects {
			if err := InsertProject(tx, &projects[i], db.Ms(now)); err != nil {
				return err
			}
		}
		return nil
	})
	return a, err
}

// CreatePlatformSender makes a sender for every account, unless it is there.
func (d *Directory) CreatePlatformSender(ctx context.Context, s Sender) error {
	now := d.now()
	s.ID, s.AccountID = "snd_"+id.New(now), ""
	return d.db.Write(ctx, func(tx *db.Tx) error {
		have, err := findSender(&tx.Query, string(s.Channel), s.Address)
		if err != nil || have != nil {
			return err
		}
		return InsertSender(tx, &s, db.Ms(now))
	})
}
