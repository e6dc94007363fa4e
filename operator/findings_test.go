package operator_test

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"example.com/griot/docs"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/doctor"
	"example.com/griot/operator"
	"example.com/griot/operator/operatortest"
)

// The page of the health shows the findings of the doctor, the worst first, each with a link to the page where it can
// be fixed, or to the documentation. It has no sign of success while there is a problem.
func TestHealth_ShowsTheFindingsOfTheDoctor(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	const good = "All checks have passed."
	s.Findings = []doctor.Finding{
		{Check: "server", Status: doctor.OK, Text: "version v1.2.3 responds"},
		{Check: "permissions", Subject: "/etc/griot/griot.yaml", Status: doctor.Warning, Text: "everyone can read it", Hint: "chmod 600"},
		doctor.Bad(doctor.Failed, "set the current password", "it doesn't accept the credentials").About("fake").At("gateways/fake"),
	}
	s.Findings[2].Check = "gateways"
	s.SignIn()
	page := s.Get("/operator")
	page.Shows(t, "<h2>Checks</h2>", ">Failed</span> <strong>gateways fake</strong>", "It doesn&#39;t accept the credentials.<br>Set the current password.", `href="/operator/gateways/fake"`,
		"permissions /etc/griot/griot.yaml", `href="http://docs.example/docs/operating/security"`, "Passed checks: 1", "Version v1.2.3 responds")
	page.Hides(t, good, `href="/operator/permissions`)
	if strings.Index(page.Body, "gateways fake") > strings.Index(page.Body, "permissions /etc") {
		t.Error("a warning is before a failure")
	}
	// The report is kept for a minute, and until an operator changes something or asks for another one.
	s.Findings = s.Findings[:1]
	s.Get("/operator").Hides(t, good)
	s.Clock.Advance(time.Minute)
	s.Get("/operator").Shows(t, good)
	before := s.Checked.Load()
	s.Get("/operator").Shows(t, good)
	s.Post("/operator/check").Leads(t, "/operator")
	s.Get("/operator").Shows(t, good)
	s.Post("/operator/do/gateways.test?name=fake").Leads(t, "/operator/gateways/fake")
	s.Get("/operator").Shows(t, good)
	if n := s.Checked.Load() - before; n != 2 {
		t.Errorf("%d runs, want 2: one for each form", n)
	}
}

// A slow check doesn't block the page, and is run only once at a time.
func TestHealth_DoesNotWaitForSlowChecks(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	release := make(chan struct{})
	s.Slow = release
	for range 2 {
		s.Get("/operator").Shows(t, "The checks of griot doctor are running.")
	}
	if n := s.Checked.Load(); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
	close(release)
	s.Get("/operator").Shows(t, "Last checked:")
}

func TestCheckDocs_AreThere(t *testing.T) {
	t.Parallel()
	for check, page := range operator.CheckDocs {
		if _, err := fs.Stat(docs.Files(), page+".md"); err != nil {
			t.Errorf("%s: %v", check, err)
		}
	}
}
