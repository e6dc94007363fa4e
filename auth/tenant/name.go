package tenant

import "example.com/griot/internal/visible"

// MaxName is the maximum length of a client's name, in characters.
const MaxName = 60

func validName(name string) bool { return visible.Name(name, MaxName) }
