package messages_test

import (
	"testing"

	"example.com/griot/test/system/systemtest"
)

func TestMain(m *testing.M) { systemtest.Main(m) }
