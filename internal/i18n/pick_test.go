package i18n_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
)

func TestPick(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]i18n.Lang{
		"":                                   i18n.FR,
		"fr":                                 i18n.FR,
		"en":                                 i18n.EN,
		"EN":                                 i18n.EN,
		"en-GB":                              i18n.EN,
		"fr-ML, fr;q=0.9, en;q=0.8":          i18n.FR,
		"en-US,en;q=0.9,fr;q=0.8":            i18n.EN,
		"fr;q=0.8,en;q=0.9":                  i18n.EN,
		"fr;q=0.3,en;q=0.2,fr-ML;q=0.1":      i18n.FR,
		"fr;q=0.1,en;q=0.2,fr-ML;q=0.3":      i18n.FR,
		"en,fr":                              i18n.EN,
		"fr,en":                              i18n.FR,
		"de":                                 i18n.FR,
		"de, en;q=0.1":                       i18n.EN,
		"bm, *":                              i18n.FR,
		"fr;q=0, *":                          i18n.EN,
		"en;q=0, *;q=0.5":                    i18n.FR,
		"en;q=0.4, *;q=0.5":                  i18n.FR,
		"en;q=0.5, *;q=0.4":                  i18n.EN,
		"en;q=0":                             i18n.FR,
		"en ; q = 0.5":                       i18n.EN,
		"en;q=x, fr;q=0.1":                   i18n.FR,
		"en;q=NaN, fr;q=0.1":                 i18n.FR,
		"en;q=7, fr;q=0.1":                   i18n.FR,
		"english":                            i18n.FR,
		",;,=;q":                             i18n.FR,
		strings.Repeat("de,", 1000) + "en":   i18n.FR,
		"en-" + strings.Repeat("x", 100_000): i18n.EN,
	} {
		if got := i18n.Pick(header); got != want {
			t.Errorf("Pick(%.60q) = %s, want %s", header, got, want)
		}
	}
}

func FuzzPick(f *testing.F) {
	for _, seed := range []string{"", "en", "fr;q=0.8,en;q=0.9", "*;q=0", "en;q=", ",;=", "fr-ML;q=1.000, en;q=0.999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := i18n.Pick(header)
		if !slices.Contains(i18n.Langs(), got) {
			t.Fatalf("Pick(%q) = %q", header, got)
		}
		if header != "" && i18n.Pick("en, "+header) != i18n.EN {
			t.Fatalf("what is named first with the highest weight is not chosen before %q", header)
		}
		if !strings.Contains(strings.ToLower(header), "en") && !strings.Contains(header, "*") && got == i18n.EN {
			t.Fatalf("Pick(%q) is English, which nobody asked for", header)
		}
	})
}

func TestFirst(t *testing.T) {
	t.Parallel()
	for locales, want := range map[string]i18n.Lang{
		"fr": i18n.FR, "en-GB fr": i18n.EN, "de FR-ca en": i18n.FR, "en_US": i18n.EN, "de_DE fr_ML.UTF-8": i18n.FR, "C.UTF-8 POSIX en": i18n.EN, "  EN": i18n.EN, "": "", "de es": "", "french": "", "*": "", strings.Repeat("de ", 100) + "fr": "",
	} {
		if got, ok := i18n.First(locales); got != want || ok != (want != "") {
			t.Errorf("%q: %q %t, want %q", locales, got, ok, want)
		}
	}
}
