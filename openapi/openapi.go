package openapi

import _ "embed"

//go:embed auth.yaml
var auth []byte

//go:embed messaging.yaml
var messaging []byte

// Auth returns the document of the auth service. The caller must not modify it.
func Auth() []byte { return auth }

// Messaging returns the document of the messaging service. The caller must not modify it.
func Messaging() []byte { return messaging }
