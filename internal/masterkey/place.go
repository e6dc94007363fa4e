package masterkey

import (
	"database/sql"
	"strconv"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// Place is a column that holds sealed texts.
type Place struct {
	Table, Column string
	Purpose       string // of the box
	Key           string // the column that tells rows apart, and that texts are about
	Part          string // a number within Key: the texts are about KEY/PART; empty: there is none
	Wrapped       bool   // the column is JSON whose member "sealed" is the text
	Where         []string
	Size          int // rows of a step; 0: 200
}

const stepRows = 200

// Name is the place as operators see it.
func (p *Place) Name() string { return p.Table + "." + p.Column }

func (p *Place) size() int {
	if p.Size > 0 {
		return p.Size
	}
	return stepRows
}

// row is a sealed text, and where it is.
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

// rows reads those after a position. Where there are several conditions they are read one by one, each by its own index.
func (p *Place) rows(q *db.Query, after string) (out []row, err error) {
	where := p.Where
	if len(where) == 0 {
		where = []string{p.Column + ` <> ''`} // not NULL either
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

// reseal returns what is to be stored in a row's place; changed is false where the key that seals has sealed it.
func (p *Place) reseal(box *seal.Box, r *row) (fresh string, changed bool, err error) {
	sealed := p.text(r)
	if sealed == "" {
		return "", false, nil // erased meanwhile
	}
	fresh, err = box.Reseal(sealed, r.about(p))
	if err != nil || fresh == sealed {
		return "", false, err
	}
	return strings.Replace(r.stored, sealed, fresh, 1), true, nil
}

// text returns the sealed text of a row; empty: it was erased.
func (p *Place) text(r *row) string {
	if p.Wrapped {
		return unwrap(r.stored)
	}
	return r.stored
}

const wrapper = `"sealed":"` // as [encoding/json] writes it

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
