package masterkey

import (
	"database/sql"
	"strconv"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// Place is a column with sealed texts.
type Place struct {
	Table, Column string
	Purpose       string // of the box
	Key           string // the column that identifies rows and is bound to their texts
	Part          string // a number within Key: the texts are bound to KEY/PART; empty: none
	Wrapped       bool   // the column is JSON, and its field "sealed" is the text
	Where         []string
	Size          int // rows per step; 0: 200
}

const stepRows = 200

// Name returns the name of the place for operators.
func (p *Place) Name() string { return p.Table + "." + p.Column }

func (p *Place) size() int {
	if p.Size > 0 {
		return p.Size
	}
	return stepRows
}

// row is a sealed text and its location.
type row struct {
	key    string
	part   int64
	stored string
}

func (r *row) position(p *Place) string {
	if p.Part == "" {
		return r.key
	}
	return r.key + " " + strconv.FormatInt(r.part, 10)
}

func (r *row) about(p *Place) string {
	if p.Part == "" {
		return r.key
	}
	return r.key + "/" + strconv.FormatInt(r.part, 10)
}

// rows reads the rows after a position. Several conditions are read one by one, each with its own index.
func (p *Place) rows(q *db.Query, after string) (out []row, err error) {
	where := p.Where
	if len(where) == 0 {
		where = []string{p.Column + ` <> ''`} // also excludes NULL
	}
	columns, beyond, order := p.Key+`, 0`, p.Key+` > $1`, p.Key
	args := []any{after, p.size()}
	if p.Part != "" {
		key, part, _ := strings.Cut(after, " ")
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			n = -1
		}
		columns, beyond, order = p.Key+`, `+p.Part, `(`+p.Key+`, `+p.Part+`) > ($1, $3)`, p.Key+`, `+p.Part
		args = []any{key, p.size(), n}
	}
	var parts []string
	for _, w := range where {
		parts = append(parts, `SELECT `+columns+`, `+p.Column+` FROM `+p.Table+` WHERE `+w+` AND `+beyond)
	}
	text := `SELECT * FROM (` + strings.Join(parts, ` UNION ALL `) + `) AS sealed ORDER BY ` + order + ` LIMIT CAST($2 AS BIGINT)`
	err = q.Each(func(rows *sql.Rows) error {
		var r row
		err := rows.Scan(&r.key, &r.part, &r.stored)
		out = append(out, r)
		return err
	}, text, args...)
	return out, err
}

// reseal returns the new content of a row. changed is false if the sealing key has already sealed it.
func (p *Place) reseal(box *seal.Box, r *row) (fresh string, changed bool, err error) {
	sealed := p.text(r)
	if sealed == "" {
		return "", false, nil // erased in the meantime
	}
	fresh, err = box.Reseal(sealed, r.about(p))
	if err != nil || fresh == sealed {
		return "", false, err
	}
	return strings.Replace(r.stored, sealed, fresh, 1), true, nil
}

// text returns the sealed text of a row; empty if it was erased.
func (p *Place) text(r *row) string {
	if p.Wrapped {
		return unwrap(r.stored)
	}
	return r.stored
}

const wrapper = `"sealed":"` // in the format of [encoding/json]

func unwrap(stored string) string {
	_, rest, found := strings.Cut(stored, wrapper)
	if !found {
		return ""
	}
	sealed, _, _ := strings.Cut(rest, `"`)
	return sealed
}

// update replaces a text, unless it has changed since it was read.
func (p *Place) update(tx *db.Tx, r *row, fresh string) (changed bool, err error) {
	text, args := `UPDATE `+p.Table+` SET `+p.Column+` = $1 WHERE `+p.Key+` = $2 AND `+p.Column+` = $3`, []any{fresh, r.key, r.stored}
	if p.Part != "" {
		text, args = text+` AND `+p.Part+` = $4`, append(args, r.part)
	}
	n, err := tx.Exec(text, args...)
	return n == 1, err
}
