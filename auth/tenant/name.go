package tenant

import (
	"errors"

	"example.com/griot/internal/visible"
)

// MaxName is how many characters a client's name may have.
const MaxName = 60

// ErrName is returned for a client's name that is too long, or has characters that people cannot see.
var ErrName = errors.New("tenant: a name has at most 60 characters, all of which are visible")

func validName(name string) bool { return visible.Name(name, MaxName) }
