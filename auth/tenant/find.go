package tenant

import (
	"context"
	"database/sql"
	"strings"

	"example.com/griot/internal/db"
)

// FindTenants lists tenants, newest first, whose id is text or whose name contains it. next is the value of before for
// the next page; "" after the last one. An empty text matches all tenants, and an empty before starts with the newest.
func (s *Store) FindTenants(ctx context.Context, text, before string, limit int) (out []Tenant, next string, err error) {
	if before == "" {
		before = maxID
	}
	where, args := `id < $1`, []any{before}
	if text != "" {
		part := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(text)) + "%"
		where, args = where+` AND (id = $2 OR lower(name) LIKE $3 ESCAPE '\')`, append(args, strings.ToUpper(text), part)
	}
	err = s.db.Read(ctx).Page(limit+1, func(rows *sql.Rows) error { // one more, to detect another page
		var t Tenant
		var created int64
		err := rows.Scan(&t.ID, &t.Name, &t.Accent, &t.Logo, &created)
		t.CreatedAt = db.At(created)
		out = append(out, t)
		return err
	}, `SELECT id, name, accent, logo, created_at FROM tenants WHERE `+where+` ORDER BY id DESC`, args...)
	if err == nil && len(out) > limit {
		out = out[:limit]
		next = out[limit-1].ID
	}
	return out, next, err
}
