//go:build failpoints

package outbox_test

import (
	"testing"

	"example.com/griot/internal/failpoint"
)

// A missing eviction is found. scripts/test.sh runs this with the build tag.
func TestPlanted_MissingEvictionIsFound(t *testing.T) {
	failpoint.Plant(string(failpoint.NoEviction))
	defer failpoint.Plant("")
	if left := leftInMemory(t); len(left) != 4 {
		t.Errorf("still in memory after: %v, want all four", left)
	}
}
