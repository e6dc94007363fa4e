package dashboard_test

import (
	"testing"

	"example.com/griot/internal/limit"

	"example.com/griot/auth"
	"example.com/griot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// withLimits enables the rate limits.
func withLimits(o *auth.Options) { o.Limits = new(limit.Defaults()) }
