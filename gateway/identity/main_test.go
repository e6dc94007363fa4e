package identity_test

import (
	"testing"

	"example.com/griot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
