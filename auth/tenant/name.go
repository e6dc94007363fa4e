package tenant

import (
	"errors"

	"example.com/griot/internal/visible"
)

// MaxName is the maximum length of a client's name, in characters.
const MaxName = 60

// ErrName is returned for a client's name that is too long, or contains invisible characters.
var ErrName = errors.New("tenant: a name has at most 60 characters, all of which are visible")

func validName(name string) bool { return visible.Name(name, MaxName) }
