package tenant

import (
	"context"
	"slices"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/visible"
)

// MaxTenantName is the maximum length of a tenant's name, in characters. The waiting page has no room for more.
const MaxTenantName = 100

// Appearance is the look of a tenant's waiting page.
type Appearance struct {
	Name   string
	Accent string // one of [Accents]; empty: Griot's own color
	Logo   string // names the picture, see [Store.Logo]; empty: none
}

// Accents returns the colors that a tenant can choose. Each is a name in css/accents.css, which has one shade for light
// pages and one for dark pages. So a tenant can't choose an illegible color.
func Accents() []string {
	return []string{"blue", "sky", "teal", "green", "olive", "gold", "orange", "red", "pink", "purple", "brown", "slate"}
}

// Version returns the version of an appearance, for its form; see package forms.
func (a Appearance) Version() string { return forms.Version(a.Name, a.Accent, a.Logo) }

// AppearanceChange is a change to the look of a tenant's waiting page; nil fields stay unchanged.
type AppearanceChange struct {
	Name, Accent *string
	Logo         []byte // a file for [CheckLogo]
	RemoveLogo   bool   // if Logo is nil
	Shown        string // the [Appearance.Version] that a form showed; empty: not checked
}

func (ch *AppearanceChange) apply(a Appearance) Appearance {
	if ch.Name != nil {
		a.Name = *ch.Name
	}
	if ch.Accent != nil {
		a.Accent = *ch.Accent
	}
	if ch.RemoveLogo {
		a.Logo = ""
	}
	if ch.Logo != nil {
		a.Logo = seal.Hash(string(ch.Logo))
	}
	return a
}

// ChangeAppearance changes the look of a tenant's waiting page and returns the new appearance. Logins that have started
// keep the name. Other nodes see the change within 30 seconds. found is false if the tenant doesn't exist.
//
// Errors: [ErrTenantName], [ErrAccent], those of [CheckLogo], [forms.ErrStale].
func (s *Store) ChangeAppearance(ctx context.Context, tenantID string, change *AppearanceChange) (next Appearance, found bool, err error) {
	switch {
	case change.Name != nil && (*change.Name == "" || !visible.Name(*change.Name, MaxTenantName)):
		return Appearance{}, false, ErrTenantName
	case change.Accent != nil && *change.Accent != "" && !slices.Contains(Accents(), *change.Accent):
		return Appearance{}, false, ErrAccent
	case change.Logo != nil:
		err = CheckLogo(change.Logo)
	}
	if err != nil {
		return Appearance{}, false, err
	}
	updated := NewEvent(ctx, tenantID, AppearanceUpdated, s.now())
	var refused error
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		var stored Appearance
		next, refused = Appearance{}, nil
		if stored, found, err = lockAppearance(tx, tenantID); err != nil || !found {
			return err
		}
		next = change.apply(stored)
		if refused = forms.CheckVersion(change.Shown, stored.Version(), next.Version()); refused == nil {
			if err := updateAppearance(tx, tenantID, next); err != nil {
				return err
			}
			if next.Logo != stored.Logo {
				if err := replaceLogo(tx, tenantID, change.Logo); err != nil {
					return err
				}
			}
			return Record(tx, updated)
		}
		return nil
	})
	s.ClearCache()
	if err == nil {
		err = refused
	}
	return next, found && err == nil, err
}
