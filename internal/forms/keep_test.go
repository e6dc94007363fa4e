package forms_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/forms"
)

// Each input of a page that browsers treat as a secret has a name that is omitted.
func TestSecret_OfEachInput(t *testing.T) {
	t.Parallel()
	input, name := regexp.MustCompile(`<input [^>]*(?:type="(?:password|file)"|autocomplete="(?:one-time-code|current-password|new-password)")[^>]*>`), regexp.MustCompile(` name="([^"]*)"`)
	found := 0
	err := fs.WalkDir(os.DirFS("../../web/templates"), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".html") || strings.HasSuffix(path, "_sign_in.html") { // these have no mark
			return err
		}
		page, err := fs.ReadFile(os.DirFS("../../web/templates"), path)
		for _, tag := range input.FindAllString(string(page), -1) {
			found++
			if of := name.FindStringSubmatch(tag); of == nil || !forms.IsSecret(of[1]) {
				t.Errorf("%s: %s is kept when a session ends", path, tag)
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Fatalf("%d inputs, %v", found, err)
	}
	for name, want := range map[string]bool{
		"code": true, "settings": true, "settings.apiKey": true, "token": true, "clientSecret": true, "sure": true, "confirm": true, "logo": true,
		"message": false, "text": false, "key": false, "to": false, "version": false, "surename": false,
	} {
		if got := forms.IsSecret(name); got != want {
			t.Errorf("%q is left out: %v, want %v", name, got, want)
		}
	}
}
