package tenant

import (
	"time"

	"example.com/griot/internal/db"
)

// VoidSessions ends every session of the tenants' dashboards, and unused single-use invitations, because in a restored
// database they might have been used after the backup. It returns the number of sessions ended.
func VoidSessions(tx *db.Tx, now time.Time) (ended int64, err error) {
	if ended, err = tx.Exec(`DELETE FROM dashboard_sessions`); err != nil {
		return 0, err
	}
	_, err = tx.Exec(`UPDATE invitations SET revoked_at = $1 WHERE single_use = 1 AND used_at IS NULL AND revoked_at IS NULL`, db.Ms(now))
	return ended, err
}
