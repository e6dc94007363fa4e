package systemtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed returns the seed of GRIOT_TEST_SEED, or a new one, and prints it.
func Seed(t *testing.T) uint64 {
	t.Helper()
	n := rand.Uint64() >> 32
	if s := os.Getenv("GRIOT_TEST_SEED"); s != "" {
		var err error
		if n, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("GRIOT_TEST_SEED=%d", n)
	return n
}
