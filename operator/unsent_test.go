package operator_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/operator/operatortest"
)

// An operator's session ends after half an hour. The settings of a gateway contain its keys, and are not kept.
func TestUnsent_AnOperatorsForm(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	const form = "/operator/do/gateways.add?kind=smtp"
	page := s.Get(form)
	in := url.Values{"name": {"orange-1"}, "settings.password": {"very-secret"}, "settings": {"helo: very-secret"}, forms.MarkField: {inputValue(page.Body, forms.MarkField)}}
	s.Cookie = nil
	got := s.Send(http.MethodPost, form, in)
	sealed := inputValue(got.Body, forms.KeptField)
	if got.Status != http.StatusUnauthorized || sealed == "" || !strings.Contains(got.Body, "griot admin open") {
		t.Fatalf("got %d:\n%s", got.Status, got.Body)
	}
	if wrong := s.Post("/operator/sign-in", "token", "wrong", forms.KeptField, sealed); wrong.Status != http.StatusUnauthorized || inputValue(wrong.Body, forms.KeptField) != sealed {
		t.Errorf("after a wrong link: %d\n%s", wrong.Status, wrong.Body)
	}
	if right := s.Post("/operator/sign-in", "token", s.Link(), forms.KeptField, sealed); right.Status != http.StatusTemporaryRedirect || right.Location != "/operator/unsent" {
		t.Fatalf("got %d to %q", right.Status, right.Location)
	}
	shown := s.Post("/operator/unsent", forms.KeptField, sealed)
	shown.Shows(t, "this form was not sent", `value="orange-1"`)
	if strings.Contains(shown.Body, "very-secret") {
		t.Error("the settings were kept")
	}
}
