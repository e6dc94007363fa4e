package i18n_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
)

// catalogue returns the texts of a language. It fails the test for a duplicate key, because one of its texts
// would be lost silently.
func catalogue(t *testing.T, lang i18n.Lang) map[string]string {
	t.Helper()
	texts := map[string]string{}
	names, err := filepath.Glob(filepath.Join("texts", string(lang), "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has %d files: %v", lang, len(names), err)
	}
	for _, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		before := len(texts)
		if err := json.Unmarshal(file, &texts); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if lines, keys := strings.Count(string(file), `": "`), len(texts)-before; lines != keys {
			t.Errorf("%s: %d lines with %d new keys; every key stands once", name, lines, keys)
		}
	}
	return texts
}

var verb = regexp.MustCompile(`%(\[\d+\])?[-+# 0]*[\d.]*[a-zA-Z%]`)

func verbs(text string) []string {
	found := verb.FindAllString(text, -1)
	slices.Sort(found)
	return found
}

func TestCatalogues_SayTheSame(t *testing.T) {
	t.Parallel()
	fr, en := catalogue(t, i18n.FR), catalogue(t, i18n.EN)
	ofTable := func(key string) bool { return strings.HasPrefix(key, "table.") && en[key] == "" } // the table of verbs has its English texts
	if diff := cmp.Diff(slices.DeleteFunc(i18n.FR.Keys(), ofTable), slices.DeleteFunc(i18n.EN.Keys(), ofTable)); diff != "" {
		t.Errorf("the catalogs have different keys (-fr +en):\n%s", diff)
	}
	form := regexp.MustCompile(`^[a-z]+(\.[a-z0-9_]+)+$`)
	for key, text := range fr {
		if !form.MatchString(key) {
			t.Errorf("%s is not a key", key)
		}
		if ofTable(key) {
			continue
		}
		if strings.TrimSpace(text) == "" || strings.TrimSpace(en[key]) == "" {
			t.Errorf("%s: an empty text", key)
		}
		if diff := cmp.Diff(verbs(text), verbs(en[key])); diff != "" {
			t.Errorf("%s: the texts take different arguments (-fr +en):\n%s", key, diff)
		}
	}
}

func TestFrench_KeepsItsPunctuationWithItsWord(t *testing.T) {
	t.Parallel()
	for key, text := range catalogue(t, i18n.FR) {
		if regexp.MustCompile(`[ ][:;?!»]|«[ ]|'`).MatchString(text) {
			t.Errorf("%s: a plain space before a mark, or a straight apostrophe: %q", key, text)
		}
	}
}

func TestT(t *testing.T) {
	t.Parallel()
	if got := i18n.FR.T("waiting.words"); got != "Envoyez ces trois mots" {
		t.Errorf("FR: %q", got)
	}
	if got := i18n.EN.T("waiting.words"); got != "Send these three words" {
		t.Errorf("EN: %q", got)
	}
	if got := i18n.Lang("xx").T("waiting.words"); got != "Envoyez ces trois mots" {
		t.Errorf("an unknown language: %q", got)
	}
	if got := i18n.EN.T("no.such.text"); got != "no.such.text" || i18n.EN.Has(got) {
		t.Errorf("a key without a text: %q", got)
	}
}

func TestCallingCode(t *testing.T) {
	for code, want := range map[string][2]string{
		"223": {"Mali (+223)", "Mali (+223)"}, "221": {"Sénégal (+221)", "Senegal (+221)"}, "44": {"Royaume-Uni (+44)", "United Kingdom (+44)"}, "1": {"+1", "+1"}, "999": {"+999", "+999"},
	} {
		if fr, en := i18n.FR.CallingCode(code), i18n.EN.CallingCode(code); fr != want[0] || en != want[1] {
			t.Errorf("%s: %q and %q, want %q and %q", code, fr, en, want[0], want[1])
		}
	}
}

// Each country with its own calling code has the name from the CLDR.
func TestCallingCode_NamesAreThoseOfTheCLDR(t *testing.T) {
	named := 0
	for n := range 1000 {
		code := strconv.Itoa(n)
		region := phone.RegionOf(code)
		if region == "" {
			continue
		}
		named++
		parsed, err := language.ParseRegion(region)
		if err != nil {
			t.Fatal(region, err)
		}
		for lang, names := range map[i18n.Lang]display.Namer{i18n.FR: display.French.Regions(), i18n.EN: display.English.Regions()} {
			if got, want := lang.CallingCode(code), names.Name(parsed)+" (+"+code+")"; got != want {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
		}
	}
	if named < 200 {
		t.Errorf("%d countries", named)
	}
}
