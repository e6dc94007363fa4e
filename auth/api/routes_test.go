package api_test

import (
	"testing"

	"example.com/griot/auth"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
)

// Rules: L177.
func TestRoutes_AgreeWithTheDocumentBothWays(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.VerifyOnPublic = true })
	var routes []string
	for _, r := range s.auth.API.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	openapitest.Routes(t, openapi.Auth(), routes)
}
