package operator_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	messagingadmin "example.com/griot/messaging/admin"
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

// Each setting that a form asks for has a label in both languages, and the texts name nothing else.
func TestTexts_OfSettingsAreThere(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	known := map[string]bool{}
	for _, kind := range operatortest.Ask[[]messagingadmin.GatewayKind](s, "gateways.kinds", messagingadmin.Nothing{}) {
		known["setting.kind."+kind.Name] = true
		for _, one := range kind.Settings {
			known["setting.label."+one.Name] = true
		}
	}
	for key := range known {
		if !i18n.EN.Has(key) {
			t.Errorf("no text %s", key)
		}
	}
	for _, key := range i18n.EN.Keys() {
		if strings.HasPrefix(key, "setting.") && !known[strings.Replace(key, ".hint.", ".label.", 1)] {
			t.Errorf("no form shows %s", key)
		}
	}
}
