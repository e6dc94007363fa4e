package tenant

import (
	"context"
	"errors"
	"slices"

	"example.com/griot/internal/db"
)

// MaxTenantName is how many characters a tenant's name may have: what the waiting page has room for.
const MaxTenantName = 100

// The refusals of [Store.SetAppearance].
var (
	ErrTenantName = errors.New("tenant: a tenant's name has 1 to 100 characters, all of which are visible")
	ErrAccent     = errors.New("tenant: no such accent")
)

// Appearance is how a tenant's waiting page looks.
type Appearance struct {
	Name   string
	Accent string // one of [Accents]; empty: Griot's own colour
}

// Accents are the colours that a tenant can choose. Each is a name of css/accents.css, which has a shade of it for light and
// one for dark pages: so a tenant cannot choose a colour that nobody can read.
func Accents() []string {
	return []string{"blue", "sky", "teal", "green", "olive", "gold", "orange", "red", "pink", "purple", "brown", "slate"}
}

// SetAppearance changes how a tenant's waiting page looks. Logins that have started keep the name; other nodes see the
// change within 30 seconds. found is false when there is no such tenant.
func (s *Store) SetAppearance(ctx context.Context, by Author, tenantID string, a Appearance) (found bool, err error) {
	switch {
	case a.Name == "" || !visible(a.Name, MaxTenantName):
		return false, ErrTenantName
	case a.Accent != "" && !slices.Contains(Accents(), a.Accent):
		return false, ErrAccent
	}
	updated := by.TenantEvent(tenantID, AppearanceUpdated, s.now())
	defer s.ClearCache()
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		if found, err = updateAppearance(tx, tenantID, a); err != nil || !found {
			return err
		}
		return Record(tx, updated)
	})
	return found && err == nil, err
}
