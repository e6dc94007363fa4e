package api_test

import (
	"testing"

	"griot/auth/api"
	"griot/internal/db/dbtest"
	"griot/openapi"
	"griot/openapi/openapitest"
)

func TestRoutes_AgreeWithTheDocumentBothWays(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *api.Options) { o.VerifyOnPublic = true })
	var routes []string
	for _, r := range s.api.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	openapitest.Routes(t, openapi.Auth(), routes)
}
