package hidden_test

import (
	"testing"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

func TestMain(m *testing.M) { systemtest.Main(m, browsertest.Stop) }
