package account

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

const projectsWhere = `SELECT p.id, p.account_id, p.name, p.created_at FROM projects p WHERE p.account_id = $1 AND p.deleted_at IS NULL`

// Projects lists an account's projects, oldest first.
func Projects(q *db.Query, accountID string) ([]Project, error) {
	return db.Select(q, readProject, projectsWhere+` ORDER BY p.id`, accountID)
}

// selectOwnProjects lists the projects of a developer, oldest first.
func selectOwnProjects(q *db.Query, accountID, memberID string) ([]Project, error) {
	return db.Select(q, readProject, projectsWhere+` AND EXISTS (SELECT 1 FROM project_members m WHERE m.member_id = $2 AND m.project_id = p.id) ORDER BY p.id`, accountID, memberID)
}

func readProject(scan db.Scan, p *Project) error {
	return scan(&p.ID, &p.AccountID, &p.Name, db.Time(&p.CreatedAt))
}

// hasProject reports whether an account has a project and, with a memberID, whether the project belongs to that developer.
func hasProject(q *db.Query, accountID, memberID, projectID string) (bool, error) {
	var id string
	return q.Row(`SELECT id FROM projects WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
 AND ($3 = '' OR EXISTS (SELECT 1 FROM project_members WHERE member_id = $3 AND project_id = $1))`, projectID, accountID, memberID).Scan(&id)
}

// existsProject reports whether any project has an ID, including deleted ones and those of other accounts.
func existsProject(q *db.Query, projectID string) (bool, error) {
	return q.Row(`SELECT id FROM projects WHERE id = $1`, projectID).Scan(&projectID)
}

func insertProject(tx *db.Tx, p *Project) error {
	_, err := tx.Exec(`INSERT INTO projects (id, account_id, name, created_at) VALUES ($1, $2, $3, $4)`, p.ID, p.AccountID, p.Name, db.Ms(p.CreatedAt))
	return err
}

func updateProject(tx *db.Tx, accountID, projectID, name string) error {
	_, err := tx.Exec(`UPDATE projects SET name = $3 WHERE id = $1 AND account_id = $2`, projectID, accountID, name)
	return err
}

// deleteProject marks a project as deleted, because its messages keep its ID.
func deleteProject(tx *db.Tx, accountID, projectID string, now time.Time) error {
	if _, err := tx.Exec(`UPDATE projects SET deleted_at = $3 WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`, projectID, accountID, db.Ms(now)); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM project_members WHERE project_id = $1`, projectID)
	return err
}

// addProject gives a developer a project of the account. It does nothing if the account does not have the project.
func addProject(tx *db.Tx, accountID, memberID, projectID string) error {
	_, err := tx.Exec(`INSERT INTO project_members (member_id, project_id) SELECT CAST($1 AS TEXT), id FROM projects WHERE account_id = $2 AND id = $3 AND deleted_at IS NULL
 ON CONFLICT (member_id, project_id) DO NOTHING`, memberID, accountID, projectID)
	return err
}

// addAllProjects gives a developer all current projects of the account.
func addAllProjects(tx *db.Tx, accountID, memberID string) error {
	_, err := tx.Exec(`INSERT INTO project_members (member_id, project_id) SELECT CAST($1 AS TEXT), id FROM projects WHERE account_id = $2 AND deleted_at IS NULL
 ON CONFLICT (member_id, project_id) DO NOTHING`, memberID, accountID)
	return err
}

func removeProjects(tx *db.Tx, memberID string) error {
	_, err := tx.Exec(`DELETE FROM project_members WHERE member_id = $1`, memberID)
	return err
}

// selectProjectsOfMembers returns the projects of an account's members, by the member's id.
func selectProjectsOfMembers(q *db.Query, accountID string) (map[string][]string, error) {
	out := map[string][]string{}
	err := q.Each(func(rows *sql.Rows) error {
		var member, project string
		err := rows.Scan(&member, &project)
		out[member] = append(out[member], project)
		return err
	}, `SELECT pm.member_id, pm.project_id FROM project_members pm JOIN members m ON m.id = pm.member_id JOIN projects p ON p.id = pm.project_id
 WHERE m.account_id = $1 AND m.removed_at IS NULL AND p.deleted_at IS NULL ORDER BY pm.project_id`, accountID)
	return out, err
}
