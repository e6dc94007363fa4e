package dashboard_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// A permitted is a caller in the table of TestPermits, with the credentials of its requests.
type permitted struct {
	name   string
	caller account.Caller // the parts that permits look at
	key    string         // empty: a session
	person *messagingtest.Person
}

// refusing lists the routes that also refuse some of those whom their permit includes: only an owner's session tests real
// codes, and a suspended account gets only the results of earlier requests.
var refusing = []string{"POST /dashboard/codes/send", "POST /dashboard/codes/verify", "POST /api/send"}

// Each route of the API, the dashboard, and the assistant endpoint refuses exactly those whom its permit doesn't include,
// for the reason that the permit says: every role, kind of key, and project, with and without a recent code, and in a
// suspended account.
func TestPermits_EachRouteAnswersAsItsPermit(t *testing.T) {
	s := messagingtest.NewSite(t, dbtest.SQLite(t), accountsSetURL)
	session := func(name string, role account.Role, p *messagingtest.Person) permitted {
		c := account.Caller{Kind: account.Dashboard, Role: role, CodeAt: s.Clock.Now()}
		if role != account.RoleOwner {
			c.MemberID = "member"
		}
		return permitted{name: name, caller: c, person: p}
	}
	callers := []permitted{session("owner who signed in long ago", account.RoleOwner, s.SignIn(messagingtest.OwnerEmail))}
	s.Clock.Advance(account.RecentCode + time.Minute)
	project, err := s.Directory.CreateProject(t.Context(), s.Account.ID, "Boutique")
	if err != nil {
		t.Fatal(err)
	}
	callers = append(callers,
		session("owner", account.RoleOwner, s.SignIn(messagingtest.OwnerEmail)),
		session("developer", account.RoleDeveloper, s.Member("dev@example.com", account.RoleDeveloper)),
		session("viewer", account.RoleViewer, s.Member("view@example.com", account.RoleViewer)),
		permitted{name: "live key", caller: account.Caller{Kind: account.Live}, key: s.LiveKey},
		permitted{name: "test key", caller: account.Caller{Kind: account.Test}, key: s.Key(t, s.Account.ID, "", account.Test)},
		permitted{name: "project key", caller: account.Caller{Kind: account.ProjectKey, ProjectID: project.ID}, key: s.Key(t, s.Account.ID, project.ID, account.ProjectKey)},
	)
	routes, tried := slices.Concat(s.API.Routes(), s.Pages.Routes()), 0
	for _, suspended := range []bool{false, true} {
		of := &account.Account{}
		if suspended {
			of.SuspendedAt = s.Clock.Now()
			if err := s.Delivery.SetSuspended(t.Context(), s.Account.ID, "unpaid"); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range routes {
			permit, ok := r.Access.(account.Permit)
			if !ok || strings.HasSuffix(r.Path, "/stream") || strings.HasSuffix(r.Path, "/events") && r.Path != "/api/webhooks/events" {
				continue // not of an account, or a stream, which checks its permit repeatedly
			}
			for _, c := range callers {
				c.caller.Account = of
				want := reason(permit, &c, s.Clock.Now())
				if got := refusalOf(t, s, r, &c); got != want && !(want == "" && slices.Contains(refusing, r.Method+" "+r.Path)) {
					t.Errorf("%s %s by %s (suspended: %v): %q, want %q", r.Method, r.Path, c.name, suspended, got, want)
				}
				tried++
			}
		}
	}
	if tried < 1900 {
		t.Errorf("%d requests, want each caller on each route", tried)
	}
}

// reason returns the code with which a permit refuses a caller, or "".
func reason(p account.Permit, c *permitted, now time.Time) string {
	isKey := c.key != ""
	switch {
	case isKey && p.Keys == 0:
		return apierror.SessionRequired.Code
	case !isKey && p.Roles == 0, p.Bearer && c.caller.Kind != account.Live:
		return apierror.Unauthorized.Code
	}
	if refused, ok := errors.AsType[*apierror.Error](p.Check(&c.caller, now)); ok {
		return refused.Kind.Code
	}
	return ""
}

// pageCode finds the code on the page of an error.
var pageCode = regexp.MustCompile(`<dd><code>([a-z_]+)</code></dd>`)

// refusalOf makes a request and returns the code with which its caller is refused, or "". Other errors, such as those of
// absent objects, are no refusals.
func refusalOf(t *testing.T, s *messagingtest.Site, route httpx.Route, c *permitted) string {
	t.Helper()
	isPage := strings.HasPrefix(route.Path, "/dashboard")
	body, contentType := "{}", "application/json"
	if isPage {
		body, contentType = "", "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(t.Context(), route.Method, s.URL+regexp.MustCompile(`{[^}]+}`).ReplaceAllString(route.Path, "absent"), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	client := http.DefaultClient
	if r.Header = (http.Header{"Content-Type": {contentType}, "Accept-Language": {"en"}, "Accept": {"text/html"}}); c.person != nil {
		client = c.person.Client
		r.Header.Set("Origin", s.URL)
	} else {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	var refused struct{ Code string }
	switch to, found := res.Header.Get("Location"), pageCode.FindSubmatch(read); {
	case strings.HasPrefix(to, "/dashboard/confirm"):
		code = apierror.RecentCodeRequired.Code
	case strings.HasPrefix(to, "/dashboard/sign-in"):
		code = apierror.Unauthorized.Code
	case res.StatusCode == http.StatusForbidden && strings.Contains(string(read), "Your account is suspended"):
		code = apierror.AccountSuspended.Code
	case found != nil:
		code = string(found[1])
	case json.Unmarshal(read, &refused) == nil:
		code = refused.Code
	}
	if !slices.ContainsFunc([]*apierror.Kind{
		apierror.Unauthorized, apierror.Forbidden, apierror.SessionRequired, apierror.LiveKeyRequired, apierror.AccountSuspended, apierror.RecentCodeRequired,
	}, func(k *apierror.Kind) bool { return k.Code == code }) {
		return ""
	}
	return code
}
