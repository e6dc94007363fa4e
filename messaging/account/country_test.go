package account_test

import (
	"testing"

	"example.com/griot/messaging/account"
)

func TestCheckCountry(t *testing.T) {
	for in, want := range map[string]string{"": "", " ml ": "ML", "+223": "223", "223": "223", "FR": "FR"} {
		if got, ok := account.CheckCountry(in); got != want || !ok {
			t.Errorf("%q: %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{"Mali", "M", "ZZ", "999999", "++223", "223 76"} {
		if got, ok := account.CheckCountry(in); ok {
			t.Errorf("%q is the country %q", in, got)
		}
	}
}
