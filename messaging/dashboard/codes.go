package dashboard

import (
	"net/http"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/otp"
	"example.com/griot/web"
)

const (
	codesPath       = "/dashboard/codes"
	codesSendPath   = codesPath + "/send"
	codesVerifyPath = codesPath + "/verify"
)

func (d *Dashboard) codesRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", codesPath, account.MayReadCodes, d.codes),
		d.form(codesSendPath, account.MaySendByHand, d.sendTestCode),
		d.form(codesVerifyPath, account.MaySendByHand, d.verifyTestCode),
	}
}

const pageCodes = "dashboard_codes" // codesPage

// codesPage is the page of a day's one-time codes and their results, with a form to try one.
type codesPage struct {
	About     string // empty: the caller's role cannot see the numbers
	Stats     []web.Stat
	Countries []codesRow
	Simulated bool // no deliveries, because simulated codes have none
	Held      []heldRow
	Empty     *web.Empty
	Tester    *codeTester // nil: not available to the caller's role
}

// A codesRow contains a country's codes.
type codesRow struct{ Country, Sent, Delivered, DeliveredPart, Verified, VerifiedPart, Median string }

// A heldRow is a prefix to which codes are blocked.
type heldRow struct {
	Prefix, Why  string
	Since, Until time.Time
}

// codes handles GET /dashboard/codes.
func (d *Dashboard) codes(v *visit) error {
	t, err := d.codeTester(v, nil)
	if err != nil {
		return err
	}
	if challenge := v.r.URL.Query().Get(challengeParam); challenge != "" && t != nil {
		t.askForCode(v, challenge)
	}
	return d.showCodes(v, http.StatusOK, t)
}

func (d *Dashboard) showCodes(v *visit, status int, t *codeTester) error {
	page := &codesPage{Tester: t, Simulated: v.simulated()}
	if account.MayReadAccountStatistics.Allows(v.caller.Role) {
		s, err := d.o.OTP.AccountStats(v.r.Context(), v.caller, v.simulated())
		if err != nil {
			return err
		}
		page.add(v.lang, s)
	}
	return d.serve(v, status, pageCodes, codesPath, page)
}

// add adds the counts to the page.
func (p *codesPage) add(lang i18n.Lang, s *otp.AccountStats) {
	p.About = lang.T("dashboard.codes.day")
	if p.Simulated {
		p.About = lang.T("dashboard.codes.day_test")
	}
	if !s.Complete {
		p.About = lang.T("dashboard.codes.incomplete")
	}
	for i := range s.Blocked {
		b := &s.Blocked[i]
		why := lang.T("dashboard.codes.too_few", number(lang, b.Sent), number(lang, b.Verified))
		p.Held = append(p.Held, heldRow{"+" + b.Prefix, why, b.BlockedSince, b.BlockedUntil})
	}
	if s.Total.Sent == 0 {
		p.Empty = &web.Empty{Icon: "lock", Title: lang.T("dashboard.codes.empty"), Text: lang.T("dashboard.codes.empty_text")}
		if p.Simulated {
			p.Empty.Title = lang.T("dashboard.codes.empty_test")
		}
		return
	}
	all := rowOfCodes(lang, &s.Total)
	p.Stats = append(p.Stats, web.Stat{Label: lang.T("dashboard.codes.sent"), Value: all.Sent})
	if !p.Simulated {
		p.Stats = append(p.Stats, web.Stat{Label: lang.T("dashboard.codes.delivered"), Value: all.DeliveredPart, Note: lang.T("dashboard.codes.part", all.Delivered, all.Sent)})
	}
	p.Stats = append(p.Stats,
		web.Stat{Label: lang.T("dashboard.codes.verified"), Value: all.VerifiedPart, Note: lang.T("dashboard.codes.part", all.Verified, all.Sent)},
		web.Stat{Label: lang.T("dashboard.codes.median"), Value: all.Median, Note: lang.T("dashboard.codes.median_of")})
	for i := range s.Countries {
		p.Countries = append(p.Countries, rowOfCodes(lang, &s.Countries[i]))
	}
}

func rowOfCodes(lang i18n.Lang, t *otp.CountryTraffic) codesRow {
	row := codesRow{
		Country: lang.CallingCode(t.Country), Sent: number(lang, t.Sent), Delivered: number(lang, t.Delivered), DeliveredPart: lang.Percent(t.Delivered, t.Sent),
		Verified: number(lang, t.Verified), VerifiedPart: lang.Percent(t.Verified, t.Sent), Median: "–",
	}
	if t.Country == "" {
		row.Country = lang.T("dashboard.codes.elsewhere")
	}
	if t.Verified > 0 {
		row.Median = duration(lang, new(max(t.Median, time.Second)))
	}
	return row
}
