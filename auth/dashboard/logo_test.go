package dashboard_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/web/webtest"
)

const appearancePath = "/dashboard/appearance"

// upload sends the form of the appearance like a browser in which a file was chosen. If file is nil, none was chosen.
func upload(s *authtest.Site, fileName string, file []byte, pairs ...string) webtest.Page {
	s.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = form.WriteField(pairs[i], pairs[i+1])
	}
	part, _ := form.CreateFormFile("logo", fileName)
	_, _ = part.Write(file)
	_ = form.Close()
	r := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+appearancePath, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Accept-Language", "en")
	r.Header.Set("Origin", s.URL)
	r.AddCookie(&http.Cookie{Name: "svc_dashboard", Value: s.Cookie})
	w := httptest.NewRecorder()
	s.Auth.Public().ServeHTTP(w, r)
	return webtest.Page{Status: w.Code, Location: w.Header().Get("Location"), Body: w.Body.String(), Header: w.Header()}
}

// picture returns a PNG that differs for each shade.
func picture(t *testing.T, width, height int, shade byte) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	m.Pix[0] = shade
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shownLogo returns the address of the logo on a page, or "".
func shownLogo(page webtest.Page) string {
	return regexp.MustCompile(`/logos/[\w-]+`).FindString(page.Body)
}

// Rules: L198.
func TestLogo_IsUploadedShownAndRemoved(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		if page := s.Get(appearancePath); shownLogo(page) != "" || strings.Contains(page.Body, "removeLogo") {
			t.Error("a tenant without a logo has one")
		}
		var photo bytes.Buffer
		if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 64, 32)), nil); err != nil {
			t.Fatal(err)
		}
		webp, err := os.ReadFile("../tenant/testdata/logo.webp")
		if err != nil {
			t.Fatal(err)
		}
		before := ""
		for _, tt := range []struct {
			typ, name string
			file      []byte
		}{{"image/png", "logo.svg", picture(t, 64, 64, 1)}, {"image/jpeg", "logo.png", photo.Bytes()}, {"image/webp", "x", webp}} {
			upload(s, tt.name, tt.file, "name", "Kalabash", "accent", "teal", "version", s.Get(appearancePath).Version(t)).Leads(t, appearancePath)
			page := s.Get(appearancePath)
			page.Shows(t, `value="Kalabash"`, `value="teal" checked`)
			at := shownLogo(page)
			got := webtest.Send(t, s.URL, http.MethodGet, at, nil, nil)
			if got.Status != http.StatusOK || got.Body != string(tt.file) || at == before {
				t.Errorf("%s: %d at %q, %d bytes", tt.typ, got.Status, at, len(got.Body))
			}
			for name, want := range map[string]string{
				"Content-Type": tt.typ, "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "same-origin",
				"Cache-Control": "public, max-age=31536000, immutable", "Set-Cookie": "", "Vary": "",
			} {
				if got := got.Header.Get(name); got != want {
					t.Errorf("%s: %s %q, want %q", tt.typ, name, got, want)
				}
			}
			if before != "" && s.Get(before).Status != http.StatusNotFound {
				t.Error("the logo before has not gone")
			}
			before = at
		}
		upload(s, "", nil, "name", "Kalabash", "accent", "red").Leads(t, appearancePath) // no file was chosen
		s.Post(appearancePath, "name", "Kalabash", "accent", "blue").Leads(t, appearancePath)
		if at := shownLogo(s.Get(appearancePath)); at != before {
			t.Errorf("after a change of the color the logo is %q, want %q", at, before)
		}
		upload(s, "", nil, "name", "Kalabash", "accent", "blue", "removeLogo", "1").Leads(t, appearancePath)
		if page := s.Get(appearancePath); shownLogo(page) != "" || s.Get(before).Status != http.StatusNotFound {
			t.Error("the logo was not removed")
		}
		if n := s.Count(t, "SELECT count(*) FROM tenant_logos"); n != 0 {
			t.Errorf("%d logos are stored, want none", n)
		}
		if n := s.Count(t, "SELECT count(*) FROM audit_events WHERE type = 'appearance.updated'"); n != 6 {
			t.Errorf("%d changes are recorded, want 6", n)
		}
	})
}

// passes returns a harmless JPEG with a comment that looks like more passes than a logo can have.
func passes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 512, 512)), nil); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(b.Bytes()[:2], []byte("\xff\xfe\x00\x42"), bytes.Repeat([]byte("\xff\xda"), 32), b.Bytes()[2:])
}

// A tenant can send 20 forms with a picture in a minute, and no tenant uses up another's.
// Rules: L198.
func TestLogo_FormsOfATenantAreLimited(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	for i := range 20 {
		if page := upload(s, "a.svg", []byte("<svg/>"), "name", "Kalabash"); page.Status != http.StatusBadRequest {
			t.Fatalf("form %d: %d", i+1, page.Status)
		}
	}
	page := upload(s, "a.svg", []byte("<svg/>"), "name", "Kalabash")
	if page.Status != http.StatusTooManyRequests || page.Header.Get("Retry-After") != "3" {
		t.Errorf("%d, Retry-After %q, want 429 and 3", page.Status, page.Header.Get("Retry-After"))
	}
	s.Clock.Advance(3 * time.Second)
	upload(s, "a.png", picture(t, 32, 32, 1), "name", "Kalabash").Leads(t, appearancePath)
}

// Rules: L198.
func TestLogo_BadFilesAreExplainedAndNotStored(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		upload(s, "a.png", picture(t, 32, 32, 1), "name", "Before", "accent", "teal").Leads(t, appearancePath)
		at := shownLogo(s.Get(appearancePath))
		good := picture(t, 64, 64, 2)
		for what, tt := range map[string]struct {
			file       []byte
			name, want string
		}{
			"too many passes":   {passes(t), "Typed", "too many passes"},
			"too large":         {append(bytes.Clone(good), make([]byte, tenant.MaxLogo)...), "Typed", "larger than 32 kB"},
			"much too large":    {make([]byte, 5<<20), "Typed", "larger than 32 kB"},
			"empty":             {[]byte{}, "Typed", "is not a PNG, JPEG, or WebP picture"},
			"SVG":               {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "Typed", "is not a PNG, JPEG, or WebP picture"},
			"HTML":              {[]byte(`<!doctype html><script>`), "Typed", "is not a PNG, JPEG, or WebP picture"},
			"PNG and then HTML": {append(bytes.Clone(good), "<script>"...), "Typed", "is not a PNG, JPEG, or WebP picture"},
			"truncated":         {good[:len(good)-15], "Typed", "is not a PNG, JPEG, or WebP picture"},
			"too few pixels":    {picture(t, 64, 16, 0), "Typed", "32 to 512 pixels"},
			"too many pixels":   {picture(t, 600, 64, 0), "Typed", "32 to 512 pixels"},
			"with a wrong name": {good, "Typed\x01", ""},
		} {
			got := upload(s, "logo.png", tt.file, "name", tt.name, "accent", "red", "version", s.Get(appearancePath).Version(t))
			if got.Status != http.StatusBadRequest || tt.name == "Typed" && !regexp.MustCompile(`(?s)id="logo"[^>]*autofocus aria-invalid="true"[^>]*>\s*<p class="wrong" id="logo-about">.*`+tt.want).MatchString(got.Body) {
				t.Errorf("%s: %d %s", what, got.Status, got.Body)
			}
			if tt.want == "" && !strings.Contains(got.Body, "If you had chosen a file, choose it again") {
				t.Errorf("%s: the page does not ask for the file again", what)
			}
			if !strings.Contains(got.Body, `value="`+tt.name+`"`) || !strings.Contains(got.Body, `value="red" checked`) || shownLogo(got) != at {
				t.Errorf("%s: the page does not have what was typed, and the logo", what)
			}
		}
		if got := upload(s, "logo.png", make([]byte, httpx.MaxUpload), "name", "Typed", "accent", "red"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "body_too_large") {
			t.Errorf("an endless file: %d %s", got.Status, got.Body)
		}
		if n := s.Count(t, "SELECT count(*) FROM tenants t JOIN tenant_logos l ON l.tenant_id = t.id WHERE name = 'Before' AND accent = 'teal' AND '/logos/' || logo = $1", at); n != 1 {
			t.Error("what was refused is stored")
		}
	})
}

func TestLogo_AStaleFormChangesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		shown := s.Get(appearancePath).Version(t)
		theirs, mine := picture(t, 64, 64, 1), picture(t, 64, 64, 2)
		upload(s, "a.png", theirs, "version", shown, "name", "Bamako Bank").Leads(t, appearancePath)
		at := shownLogo(s.Get(appearancePath))
		upload(s, "a.png", theirs, "version", shown, "name", "Bamako Bank").Leads(t, appearancePath) // the values are the saved ones, as after a double click
		stale := upload(s, "b.png", mine, "version", shown, "name", "Bamako Bank")
		stale.ShowsStale(t, `src="`+at+`"`, "If you had chosen a file, choose it again")
		if stale.Status != http.StatusConflict || shownLogo(s.Get(appearancePath)) != at {
			t.Errorf("%d, and the logo is %q, want %q", stale.Status, shownLogo(s.Get(appearancePath)), at)
		}
		if stale := s.Post(appearancePath, "version", shown, "name", "Mine"); stale.Status != http.StatusConflict {
			t.Errorf("a name of a tab that has not seen the logo: %d, want 409", stale.Status)
		}
	})
}

// Rules: L198.
func TestLogo_AnUnknownAddress(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	for _, name := range []string{"", "x", strings.Repeat("a", 43), "..%2fdashboard", "%00", s.Tenant.ID} {
		if got := webtest.Send(t, s.URL, http.MethodGet, "/logos/"+name, nil, nil); got.Status != http.StatusNotFound && got.Status != http.StatusBadRequest {
			t.Errorf("%q: %d, want 404", name, got.Status)
		} else if got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%q: browsers keep that there is none: %s", name, got.Header.Get("Cache-Control"))
		}
	}
}

// The fields of a form with a file are kept until its session is open again. The file isn't.
func TestLogo_TheFormIsKeptWithoutItsFile(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	mark := hidden(s.Get(appearancePath), forms.MarkField)
	s.Cookie = ""
	got := upload(s, "a.png", picture(t, 64, 64, 1), "name", "Boutique Kalabash", "accent", "teal", forms.MarkField, mark)
	sealed := hidden(got, forms.KeptField)
	if got.Status != http.StatusUnauthorized || sealed == "" {
		t.Fatalf("got %d:\n%s", got.Status, got.Body)
	}
	s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", s.Invite(s.Tenant.ID), forms.KeptField, sealed)
	page := s.Post("/dashboard/unsent", forms.KeptField, sealed)
	page.Shows(t, "this form was not sent", `value="Boutique Kalabash"`, `value="teal" checked`)
	if s.Count(t, "SELECT count(*) FROM tenant_logos") != 0 || strings.Contains(page.Body, "a.png") {
		t.Error("the file was kept")
	}
}
