package openapi

import _ "embed"

//go:embed auth.yaml
var auth string

//go:embed messaging.yaml
var messaging string

// Auth returns the document of the auth house. The copy is the caller's.
func Auth() []byte { return []byte(auth) }

// Messaging returns the document of the messaging house. The copy is the caller's.
func Messaging() []byte { return []byte(messaging) }
