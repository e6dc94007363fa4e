package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

func TestApp_PagesKeepTheirOwnPolicy(t *testing.T) {
	t.Parallel()
	const hostile = `</title></template><script>alert(1)</script>'"> onload=alert(1) {{.}} <!--`
	const address = `javascript:alert("1")//'onclick=`
	page := webtest.ComponentPage(t, func(s *web.Shell, e *web.Examples) {
		s.Service, s.Account, s.Person, s.Done, s.Home, s.LiveURL, s.SignOut = hostile, hostile, hostile, hostile, address, address, address
		s.Accounts = []web.AccountLink{{URL: address, Name: hostile}}
		s.Nav = []web.NavGroup{{Title: hostile, Items: []web.NavItem{{URL: address, Label: hostile, Icon: "home"}}}}
		e.Alerts = []web.Alert{{Title: hostile, Text: hostile, URL: address, Action: hostile, Tone: web.Bad}}
		e.Stats = []web.Stat{{Label: hostile, Value: hostile, Note: hostile, Trend: hostile}}
		e.Chart = web.Chart{ID: "volume", Title: hostile, Columns: []string{hostile}, Series: []web.Series{{Name: hostile, Values: []int{7}}}}
		e.Fields = []web.Field{{ID: "to", Label: hostile, Value: hostile, Placeholder: hostile, Hint: hostile}, {ID: "email", Label: hostile, Wrong: hostile}}
		e.Select.Options = []web.Option{{Value: hostile, Label: hostile}}
		e.Code.Text, e.Code.Title, e.Empty.Title, e.Empty.ActionURL = hostile, hostile, hostile, address
		e.Pagination = web.Pagination{Text: hostile, FirstURL: address, NewerURL: address, OlderURL: address}
		e.Rows = nil
	})
	static := webtest.NewPages(t).Static(http.NotFound)
	for _, h := range []http.Handler{page, webtest.ComponentPage(t, nil)} {
		for _, lang := range i18n.Langs() {
			body, err := io.ReadAll(get(t, h, http.MethodGet, "/dev/components", "Accept-Language", string(lang)).Body)
			if err != nil {
				t.Fatal(err)
			}
			elements := elementsOf(t, string(body))
			for _, e := range elements {
				checkInert(t, e)
				checkLinks(t, static, e)
			}
			checkShape(t, elements, lang)
			if strings.Contains(string(body), "<script>alert") {
				t.Errorf("not escaped:\n%s", body)
			}
		}
	}
}

func TestApp_RefusesPagesThatAreNone(t *testing.T) {
	t.Parallel()
	w := http.Header{}
	err := webtest.NewPages(t).ServeApp(discard{w}, mustRequest(t), http.StatusOK, "nothing", &web.Shell{}, nil)
	if err == nil || len(w) != 0 {
		t.Errorf("%v, headers %v", err, w)
	}
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

func mustRequest(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
