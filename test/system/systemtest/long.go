package systemtest

import (
	"os"
	"testing"
)

// IsLong reports whether make test-long runs.
func IsLong() bool { return os.Getenv("GRIOT_TEST_LONG") != "" }

// OnlyLong skips a test in make test-system. The test's comment names the quicker test that fails for the same rule.
func OnlyLong(t *testing.T) {
	t.Helper()
	if !IsLong() {
		t.Skip("make test-long runs it")
	}
}
