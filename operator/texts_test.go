package operator_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/operator/operatortest"
)

// English comes from the table of verbs, but for what reads better on a page. French has a text for all that the pages show of it.
func TestTexts_OfTheTableAreThere(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	known := []string{}
	for _, keys := range s.Pages.TextKeys() {
		known = append(known, keys...)
		if !slices.ContainsFunc(keys, i18n.FR.Has) {
			t.Errorf("no French text %s", strings.Join(keys, " or "))
		}
		if strings.HasPrefix(keys[0], "table.done.") && !slices.ContainsFunc(keys, i18n.EN.Has) {
			t.Errorf("no English text %s", strings.Join(keys, " or "))
		}
	}
	for _, lang := range i18n.Langs() {
		for _, key := range lang.Keys() {
			kind, of, _ := strings.Cut(strings.TrimPrefix(key, "table."), ".")
			if strings.HasPrefix(key, "table.") && !slices.Contains([]string{"none", "confirm", "value"}, kind) && !slices.Contains(known, key) {
				t.Errorf("no page shows %s of %s", kind, of)
			}
		}
	}
}
