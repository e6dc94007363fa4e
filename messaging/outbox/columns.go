package outbox

// columns collects the values of many rows as one array per column, for PostgreSQL's unnest. NULL is encoded as "" or
// 0, which the statements convert back if a column can be NULL.
type columns struct {
	kinds string // one letter per column: t for text, i for integer
	texts [][]string
	ints  [][]int64
}

func newColumns(rows int, kinds string) *columns {
	c := &columns{kinds: kinds, texts: make([][]string, len(kinds)), ints: make([][]int64, len(kinds))}
	for i, k := range kinds {
		if k == 't' {
			c.texts[i] = make([]string, 0, rows)
		} else {
			c.ints[i] = make([]int64, 0, rows)
		}
	}
	return c
}

func (c *columns) add(row []any) {
	for i, v := range row {
		if c.kinds[i] == 't' {
			s, _ := v.(string) // nil: ""
			c.texts[i] = append(c.texts[i], s)
			continue
		}
		var n int64
		switch v := v.(type) {
		case int64:
			n = v
		case int:
			n = int64(v)
		}
		c.ints[i] = append(c.ints[i], n)
	}
}

func (c *columns) args() []any {
	args := make([]any, len(c.kinds))
	for i, k := range c.kinds {
		if k == 't' {
			args[i] = c.texts[i]
		} else {
			args[i] = c.ints[i]
		}
	}
	return args
}
