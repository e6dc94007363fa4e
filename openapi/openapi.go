package openapi

import _ "embed"

//go:embed auth.yaml
var auth string

//go:embed messaging.yaml
var messaging string

// Auth returns the document of the auth service. The copy is the caller's.
func Auth() []byte { return []byte(auth) }

// Messaging returns the document of the messaging service. The copy is the caller's.
func Messaging() []byte { return []byte(messaging) }
