package db

import (
	"reflect"
	"testing"
)

func TestAnonymous(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		plain string
		order []int
	}{
		"BEGIN IMMEDIATE":                       {"BEGIN IMMEDIATE", nil},
		"VALUES ($1, $2, $3)":                   {"VALUES (?, ?, ?)", nil},
		"a = $1 OR b = $2 AND c < $1":           {"a = ? OR b = ? AND c < ?", []int{0, 1, 0}},
		"a = $2 AND b = $1":                     {"a = ? AND b = ?", []int{1, 0}},
		"a LIKE '$1''$2' AND b = $1":            {"a LIKE '$1''$2' AND b = ?", nil},
		"($1, $2, $3, $4, $5, $6, $7, $8, $10)": {"(?, ?, ?, ?, ?, ?, ?, ?, ?)", []int{0, 1, 2, 3, 4, 5, 6, 7, 9}},
		"a = $ AND b = $$":                      {"a = $ AND b = $$", nil},
	} {
		plain, order := anonymous(text)
		if plain != want.plain || !reflect.DeepEqual(order, want.order) {
			t.Errorf("%s: %s, %v", text, plain, order)
		}
	}
	args := []any{"a", "b"}
	if got := reorder(args, []int{1, 0, 1}); !reflect.DeepEqual(got, []any{"b", "a", "b"}) {
		t.Errorf("got %v, want [b a b]", got)
	}
	if got := reorder(args, []int{0, 2, 1}); len(got) != len(args) {
		t.Errorf("a missing argument is made up: %v", got)
	}
}
