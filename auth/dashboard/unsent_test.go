package dashboard_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/waittest"
	"example.com/griot/web/webtest"
)

// hidden returns the value of a hidden input of a page, or "".
func hidden(page webtest.Page, name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page.Body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// A session lasts an hour. A form that is sent later is shown again after the sign-in, to the same tenant.
// Rules: L197.
func TestUnsent_ATenantsForm(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		mark := hidden(s.Get("/dashboard/clients/new"), forms.MarkField)
		s.Cookie = ""
		got := s.Post("/dashboard/clients", "name", "Boutique Kalabash", "redirects", "https://a.example/\nhttps://b.example/", "type", "PUBLIC", "mode", "LIVE", forms.MarkField, mark)
		sealed := hidden(got, forms.KeptField)
		if got.Status != http.StatusUnauthorized || sealed == "" || strings.Contains(got.Body, "Kalabash") || hidden(got, "next") != "/dashboard/clients/new" {
			t.Fatalf("got %d:\n%s", got.Status, got.Body)
		}
		wrong := s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", "inv_wrong", "next", "/dashboard/clients/new", forms.KeptField, sealed)
		if wrong.Status != http.StatusUnauthorized || hidden(wrong, forms.KeptField) != sealed {
			t.Errorf("after a wrong key: %d\n%s", wrong.Status, wrong.Body)
		}
		key := s.Invite(s.Tenant.ID)
		if right := s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", key, forms.KeptField, sealed); right.Status != http.StatusTemporaryRedirect || right.Location != "/dashboard/unsent" {
			t.Fatalf("got %d to %q", right.Status, right.Location)
		}
		s.Post("/dashboard/unsent", forms.KeptField, sealed).Shows(t, "this form was not sent", `value="Boutique Kalabash"`, ">https://a.example/\nhttps://b.example/</textarea>",
			`<option value="PUBLIC" selected="">`, `<option value="LIVE" selected="">`)
		if n := s.Count(t, "SELECT count(*) FROM oauth_clients"); n != 0 {
			t.Errorf("there are %d clients, want none", n)
		}
		other := s.NewTenant(t, "Other")
		s.Cookie = ""
		s.Post("/dashboard/sign-in", "tenantId", other.ID, "key", s.Invite(other.ID))
		foreign := s.Post("/dashboard/unsent", forms.KeptField, sealed)
		foreign.Shows(t, "Your form can’t be shown again")
		if strings.Contains(foreign.Body, "Kalabash") {
			t.Error("another tenant sees the form")
		}
	})
}

// Rules: L197.
func TestUnsent_WithoutAMarkOrAnOrigin(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	mark := hidden(s.Get("/dashboard/appearance"), forms.MarkField)
	s.Cookie = ""
	s.Post("/dashboard/appearance", "name", "Bank").Leads(t, "/dashboard/sign-in")
	if got := s.Send(http.MethodPost, "/dashboard/appearance", webtest.Form("name", "Bank", forms.MarkField, mark), "Origin", "https://elsewhere.example"); got.Status != http.StatusForbidden || hidden(got, forms.KeptField) != "" {
		t.Errorf("from another site: %d", got.Status)
	}
	if got := s.Post("/dashboard/appearance", "name", strings.Repeat("a", forms.MaxKept), forms.MarkField, mark); !strings.Contains(got.Body, "too long to keep") || hidden(got, forms.KeptField) != "" {
		t.Errorf("a long form: %d\n%s", got.Status, got.Body)
	}
}

// endless is a body that never ends after its text, until a channel is closed.
type endless struct {
	text io.Reader
	full chan<- struct{}
	end  <-chan struct{}
}

func (e *endless) Read(b []byte) (int, error) {
	if n, err := e.text.Read(b); err == nil {
		return n, nil
	}
	select {
	case e.full <- struct{}{}:
		<-e.end
	case <-e.end:
	}
	return 0, io.EOF
}

// Strangers from many addresses fill the memory of refused forms. The sign-in and the buttons of logins don't notice.
// Rules: L197.
func TestUnsent_HasItsOwnMemory(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	public, form := s.Auth.Public(), strings.Repeat("a", 60<<10)
	send := func(n int, path string, body io.Reader) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, body)
		r.RemoteAddr = fmt.Sprintf("192.0.%d.%d:4711", n/200, n%200)
		r.Header.Set("Content-Type", httpx.TypeForm)
		r.Header.Set("Origin", s.URL)
		r.AddCookie(&http.Cookie{Name: "svc_sid", Value: strings.Repeat("s", 43)})
		w := httptest.NewRecorder()
		public.ServeHTTP(w, r)
		return w.Code
	}
	full, end, refused := make(chan struct{}), make(chan struct{}), make(chan int, 1)
	var sent sync.WaitGroup
	held := 0
	for more := true; more && held < 2000; {
		n := held
		sent.Go(func() {
			if code := send(n, "/dashboard/appearance", &endless{strings.NewReader(form), full, end}); code == http.StatusTooManyRequests {
				refused <- code
			}
		})
		select {
		case <-full:
			held++
		case <-refused:
			more = false
		case <-time.After(waittest.Limit):
			t.Fatal("a form is neither read nor refused")
		}
	}
	if bytes := held * len(form); held == 0 || bytes > 16<<20 {
		t.Errorf("%d forms with %d bytes are in memory, want some, and at most 16 MiB", held, bytes)
	}
	for path, body := range map[string]string{"/dashboard/sign-in": "tenantId=x", "/authorize/activate": "{}", "/authorize/page": "{}", "/manage/login": "{}"} {
		if code := send(3, path, strings.NewReader(body)); code == http.StatusTooManyRequests {
			t.Errorf("%s is refused, too", path)
		}
	}
	close(end)
	sent.Wait()
	if code := send(3, "/dashboard/appearance", strings.NewReader("name=a")); code != http.StatusSeeOther {
		t.Errorf("after them: %d, want 303", code)
	}
}
