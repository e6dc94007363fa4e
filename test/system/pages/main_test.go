package pages_test

import (
	"testing"

	"example.com/griot/test/system/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }
