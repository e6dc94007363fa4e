package forms_test

import (
	"errors"
	"testing"

	"example.com/griot/internal/forms"
)

func TestVersion_DiffersForDifferentValues(t *testing.T) {
	seen := map[string]int{}
	for i, values := range [][]string{nil, {""}, {"", ""}, {"a", "b"}, {"ab"}, {"ab", ""}, {"a", "", "b"}, {"1:a"}} {
		v := forms.Version(values...)
		if other, ok := seen[v]; ok || v == "" {
			t.Errorf("lists %d and %d have the version %q", other, i, v)
		}
		seen[v] = i
	}
	if first, again := forms.Version("a", "b"), forms.Version("a", "b"); first != again {
		t.Errorf("equal values have the versions %q and %q", first, again)
	}
}

func TestCheckVersion(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		shown, stored, saved string
		want                 error
	}{
		{"unchanged since", "1", "1", "2", nil},
		{"changed since", "1", "2", "3", forms.ErrStale},
		{"changed to the form's values", "1", "2", "2", nil},
		{"without a version", "", "2", "3", nil},
	} {
		if got := forms.CheckVersion(tt.shown, tt.stored, tt.saved); !errors.Is(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
