package db

import "strings"

// anonymous replaces $N placeholders with ?, because SQLite's driver binds them without
// looking up a name for each (a tenth of the time of a statement with many). order
// contains the index of the argument, from 0, for each placeholder; nil: they are in
// order.
func anonymous(text string) (plain string, order []int) {
	var b strings.Builder
	inOrder := true
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\'' {
			quoted = !quoted
		}
		n, end := 0, i+1
		if c == '$' && !quoted {
			for ; end < len(text) && text[end] >= '0' && text[end] <= '9'; end++ {
				n = n*10 + int(text[end]-'0')
			}
		}
		if n == 0 {
			b.WriteByte(c)
			continue
		}
		inOrder = inOrder && n == len(order)+1
		order = append(order, n-1)
		b.WriteByte('?')
		i = end - 1
	}
	if inOrder {
		order = nil
	}
	return b.String(), order
}

// reorder returns the arguments in the order of a text's placeholders. If there are too few, it returns them
// unchanged, and the driver reports the error.
func reorder(args []any, order []int) []any {
	if order == nil {
		return args
	}
	out := make([]any, len(order))
	for i, n := range order {
		if n >= len(args) {
			return args
		}
		out[i] = args[n]
	}
	return out
}
