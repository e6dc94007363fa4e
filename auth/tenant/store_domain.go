package tenant

import (
	"time"

	"example.com/griot/internal/db"
)

const domainColumns = `domain, token, created_at, verified_at, lost_at`

func readDomain(scan db.Scan, d *Domain) error {
	return scan(&d.Name, &d.token, db.Time(&d.CreatedAt), db.Time(&d.VerifiedAt), db.Time(&d.LostAt))
}

func selectDomains(q *db.Query, tenantID string) ([]Domain, error) {
	return db.Select(q, readDomain, `SELECT `+domainColumns+` FROM tenant_domains WHERE tenant_id = $1 ORDER BY domain`, tenantID)
}

// selectDomain returns nil if the tenant doesn't have the domain.
func selectDomain(q *db.Query, tenantID, domain string) (*Domain, error) {
	return db.First(q, readDomain, `SELECT `+domainColumns+` FROM tenant_domains WHERE tenant_id = $1 AND domain = $2`, tenantID, domain)
}

// selectDomainOwner returns the tenant that has proven a domain; empty: none.
func selectDomainOwner(q *db.Query, domain string) (tenantID string, err error) {
	_, err = q.Row(`SELECT tenant_id FROM tenant_domains WHERE domain = $1 AND verified_at IS NOT NULL`, domain).Scan(&tenantID)
	return tenantID, err
}

// selectOtherProof returns another tenant that has proven a domain, with its record; nil: none.
func selectOtherProof(q *db.Query, tenantID, domain string) (owner string, d *Domain, err error) {
	d, err = db.First(q, func(scan db.Scan, d *Domain) error { return scan(&owner, &d.Name, &d.token) },
		`SELECT tenant_id, domain, token FROM tenant_domains WHERE domain = $1 AND verified_at IS NOT NULL AND tenant_id <> $2`, domain, tenantID)
	return owner, d, err
}

// lockDomains counts a tenant's domains, and prevents other transactions from adding one until this one has ended.
func lockDomains(tx *db.Tx, tenantID string) (n int, err error) {
	if _, err := tx.Exec(`UPDATE tenants SET name = name WHERE id = $1`, tenantID); err != nil {
		return 0, err
	}
	_, err = tx.Row(`SELECT count(*) FROM tenant_domains WHERE tenant_id = $1`, tenantID).Scan(&n)
	return n, err
}

func insertDomain(tx *db.Tx, tenantID string, d *Domain) error {
	_, err := tx.Exec(`INSERT INTO tenant_domains (tenant_id, domain, token, created_at) VALUES ($1, $2, $3, $4)`, tenantID, d.Name, d.token, db.Ms(d.CreatedAt))
	return err
}

func deleteDomain(tx *db.Tx, tenantID, domain string) (deleted bool, err error) {
	n, err := tx.Exec(`DELETE FROM tenant_domains WHERE tenant_id = $1 AND domain = $2`, tenantID, domain)
	return n == 1, err
}

// markLost removes the proof of a tenant's domain, if its record is still the one that was looked up.
func markLost(tx *db.Tx, tenantID string, d *Domain, now time.Time) (lost bool, err error) {
	n, err := tx.Exec(`UPDATE tenant_domains SET verified_at = NULL, lost_at = $4 WHERE tenant_id = $1 AND domain = $2 AND token = $3 AND verified_at IS NOT NULL`,
		tenantID, d.Name, d.token, db.Ms(now))
	return n == 1, err
}

// lockUnproven reports whether a tenant's domain isn't proven and its record is still the one that was looked up. It
// makes other writers of the row wait until the transaction ends.
func lockUnproven(tx *db.Tx, tenantID string, d *Domain) (bool, error) {
	n, err := tx.Exec(`UPDATE tenant_domains SET token = token WHERE tenant_id = $1 AND domain = $2 AND token = $3 AND verified_at IS NULL`, tenantID, d.Name, d.token)
	return n == 1, err
}

// markProven marks a tenant's domain as proven. The unique index refuses a second proof of the domain.
func markProven(tx *db.Tx, tenantID string, d *Domain, now time.Time) error {
	_, err := tx.Exec(`UPDATE tenant_domains SET verified_at = $3, lost_at = NULL WHERE tenant_id = $1 AND domain = $2`, tenantID, d.Name, db.Ms(now))
	return err
}
