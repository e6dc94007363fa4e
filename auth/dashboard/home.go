package dashboard

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
)

// home shows the number of logins that reached each step.
func (d *Dashboard) home(w http.ResponseWriter, r *http.Request, v *visit) error {
	mode := tenant.Live
	if r.URL.Query().Get("mode") == string(tenant.Test) {
		mode = tenant.Test
	}
	s, err := d.Tenants.Stats(r.Context(), v.tenant.ID, mode)
	if err != nil {
		return err
	}
	page := web.TenantHome{
		Tabs: web.Tabs{Label: v.lang.T("tenant.client.mode"), Items: []web.Tab{
			{URL: "?mode=LIVE", Label: "LIVE", Current: mode == tenant.Live}, {URL: "?mode=TEST", Label: "TEST", Current: mode == tenant.Test},
		}},
		Today: steps(v.lang, s.Today()), Total: steps(v.lang, s.Total), Incomplete: !s.Complete, Most: tenant.MaxCounted, Chart: chart(v.lang, s),
		Median: web.Stat{Label: v.lang.T("tenant.home.median"), Value: "–", Note: v.lang.T("tenant.home.median_note")},
	}
	if s.Median > 0 {
		page.Median.Value = v.lang.T("tenant.home.seconds", strconv.Itoa(int(s.Median.Round(time.Second)/time.Second)))
	}
	if page.Clients, err = d.clientSteps(r, v, s); err != nil {
		return err
	}
	if s.Total == (tenant.Steps{}) {
		page.Empty = &web.Empty{
			Icon: "chart", Title: v.lang.T("tenant.home.empty_title"), Text: v.lang.T("tenant.home.empty_text", string(mode)), ActionURL: clientsPath, Action: v.lang.T("tenant.home.empty_action"),
		}
	}
	return d.show(w, r, v, http.StatusOK, web.PageTenantHome, d.taken(w, r, v), page)
}

// clientsOnHome is the maximum number of clients on the page. It shows the clients with the most logins.
const clientsOnHome = 20

// clientSteps returns the funnels of the clients, those with the most logins first.
func (d *Dashboard) clientSteps(r *http.Request, v *visit, s *tenant.Stats) ([]web.TenantClientSteps, error) {
	clients, err := d.Tenants.ListClients(r.Context(), v.tenant.ID)
	if err != nil {
		return nil, err
	}
	var out []web.TenantClientSteps
	for _, id := range slices.SortedFunc(maps.Keys(s.Clients), func(a, b string) int {
		return cmp.Or(s.Clients[b].Started-s.Clients[a].Started, cmp.Compare(a, b))
	}) {
		if len(out) == clientsOnHome {
			break
		}
		n := s.Clients[id]
		row := web.TenantClientSteps{Steps: steps(v.lang, n)}
		row.Name, row.URL = clientLink(clients, id)
		for i, of := range []int{n.Opened, n.Verified, n.Redeemed} { // the table's head says what they are shares of
			row.Steps[i+1].Note = v.lang.Percent(int64(of), int64(n.Started))
		}
		out = append(out, row)
	}
	return out, nil
}

// steps returns the numbers of a funnel. Each one except the first has its share of the started logins.
func steps(lang i18n.Lang, s tenant.Steps) []web.Stat {
	share := func(n int) string {
		if s.Started == 0 {
			return ""
		}
		return lang.T("tenant.home.share", lang.Percent(int64(n), int64(s.Started)))
	}
	return []web.Stat{
		{Label: lang.T("tenant.home.started"), Value: strconv.Itoa(s.Started)},
		{Label: lang.T("tenant.home.opened"), Value: strconv.Itoa(s.Opened), Note: share(s.Opened)},
		{Label: lang.T("tenant.home.verified"), Value: strconv.Itoa(s.Verified), Note: share(s.Verified)},
		{Label: lang.T("tenant.home.redeemed"), Value: strconv.Itoa(s.Redeemed), Note: share(s.Redeemed)},
	}
}

// chart returns a chart that shows each started login once, as redeemed or not.
func chart(lang i18n.Lang, s *tenant.Stats) web.Chart {
	c := web.Chart{ID: "logins", Title: lang.T("tenant.home.chart"), Series: []web.Series{
		{Name: lang.T("tenant.home.redeemed")}, {Name: lang.T("tenant.home.not_redeemed")},
	}}
	for i, day := range s.Days {
		c.Columns = append(c.Columns, lang.Day(s.First.AddDate(0, 0, i)))
		for j, n := range []int{day.Redeemed, day.Started - day.Redeemed} {
			c.Series[j].Values = append(c.Series[j].Values, max(0, n))
		}
	}
	return c
}
