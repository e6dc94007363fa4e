package api_test

import (
	"testing"

	"example.com/griot/auth/api"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
)

func TestRoutes_AgreeWithTheDocumentBothWays(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *api.Options) { o.VerifyOnPublic = true })
	var routes []string
	for _, r := range s.api.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	openapitest.Routes(t, openapi.Auth(), routes)
}
