package whole_test

import (
	"testing"

	"example.com/griot/internal/whole"
)

func TestCheck_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	type env struct {
		Name string
		Now  func() int
	}
	if err := whole.Check("shop.Env", &env{"a", func() int { return 1 }}); err != nil {
		t.Error(err)
	}
	for want, e := range map[string]env{"shop.Env: Name is missing": {Now: func() int { return 1 }}, "shop.Env: Now is missing": {Name: "a"}} {
		if err := whole.Check("shop.Env", &e); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
