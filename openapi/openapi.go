package openapi

import _ "embed"

//go:embed auth.yaml
var auth string

//go:embed messaging.yaml
var messaging string

// Auth returns a copy of the document of the auth service.
func Auth() []byte { return []byte(auth) }

// Messaging returns a copy of the document of the messaging service.
func Messaging() []byte { return []byte(messaging) }
