package account_test

import (
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m, dbtest.Stop) }
