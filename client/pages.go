package griot

import (
	"errors"
	"iter"
)

// errSameCursor stops an iteration that would never end.
var errSameCursor = errors.New("griot: the service leads from a page to itself")

// pages iterates over the items of a page and of all later pages. After an error, the iteration ends.
func pages[T any](cursor string, page func(cursor string) (items []T, next string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for {
			items, next, err := page(cursor)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			if next == cursor {
				yield(none, errSameCursor)
				return
			}
			cursor = next
		}
	}
}
