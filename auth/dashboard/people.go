package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/visible"
	"example.com/griot/web"
)

const peoplePath = Home + "/people"

func (d *Dashboard) peopleRoutes() []httpx.Route {
	return []httpx.Route{
		d.page(peoplePath, d.people),
		d.form(peoplePath+"/find", d.findPerson),
		d.page(peoplePath+"/{id}", d.person),
		d.form(peoplePath+"/{id}/erase", d.erasePerson),
		d.form(peoplePath+"/{id}/move", d.movePerson),
	}
}

const (
	pageTenantPeople = "tenant_people" // people
	pageTenantPerson = "tenant_person" // person

	peopleOnPage = 50
	personEvents = 50
)

// people is the page that lists the people who have signed in. A search for a number is a POST, so
// that the number isn't in any URL.
type people struct {
	URL, FindURL string
	Find         web.Field
	Found        bool // the rows are search results
	Rows         []personRow
	Empty        *web.Empty
	Pages        web.Pagination
}

type personRow struct {
	URL, Phone, Name, Mode string
	FirstSeenAt            time.Time
	LastSeenAt             time.Time
}

func rowOf(lang i18n.Lang, p *login.Person) personRow {
	number := p.Phone.Masked()
	if !p.DetachedAt.IsZero() {
		number = lang.T("tenant.people.detached")
	}
	return personRow{URL: peoplePath + "/" + p.ID, Phone: number, Name: visible.Trim(p.DisplayName), Mode: string(p.Mode), FirstSeenAt: p.FirstSeenAt, LastSeenAt: p.LastSeenAt}
}

func newPeople(v *visit) *people {
	return &people{URL: peoplePath, FindURL: peoplePath + "/find", Find: web.Field{
		ID: "person", Name: "person", Label: v.lang.T("tenant.people.find"), Hint: v.lang.T("tenant.people.find_hint"), Required: true,
	}}
}

// people handles GET /dashboard/people.
func (d *Dashboard) people(w http.ResponseWriter, r *http.Request, v *visit) error {
	page, before := newPeople(v), r.URL.Query().Get("before")
	if !id.Valid(before) {
		before = ""
	}
	found, next, err := d.Logins.ListPeople(r.Context(), v.tenant.ID, before, peopleOnPage)
	if err != nil {
		return err
	}
	for i := range found {
		page.Rows = append(page.Rows, rowOf(v.lang, &found[i]))
	}
	if before != "" {
		page.Pages.FirstURL = peoplePath
	}
	if next != "" {
		page.Pages.OlderURL = httpx.WithQuery(peoplePath, url.Values{"before": {next}})
	}
	if len(page.Rows) == 0 {
		page.Empty = &web.Empty{
			Icon: "people", Title: v.lang.T("tenant.people.empty_title"), Text: v.lang.T("tenant.people.empty_text"), ActionURL: clientsPath, Action: v.lang.T("tenant.home.empty_action"),
		}
	}
	return d.show(w, r, v, http.StatusOK, pageTenantPeople, d.taken(w, r, v), page)
}

// findPerson handles POST /dashboard/people/find. It redirects to the person with a full number or an id.
func (d *Dashboard) findPerson(w http.ResponseWriter, r *http.Request, v *visit) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	typed := strings.TrimSpace(in.Get("person"))
	var found []login.Person
	number, notNumber := phone.Lookup(typed)
	switch {
	case notNumber == nil:
		if found, err = d.Logins.FindPeople(r.Context(), v.tenant.ID, number); err != nil {
			return err
		}
	case id.Valid(typed):
		p, err := d.Logins.Person(r.Context(), v.tenant.ID, typed)
		if err != nil {
			return err
		}
		if p != nil {
			found = append(found, *p)
		}
	}
	if len(found) == 1 {
		return httpx.SeeOther(w, peoplePath+"/"+found[0].ID)
	}
	page, status := newPeople(v), http.StatusOK
	page.Find.Value, page.Found = in.Get("person"), true
	for i := range found { // the same number in LIVE and in TEST
		page.Rows = append(page.Rows, rowOf(v.lang, &found[i]))
	}
	switch {
	case len(found) > 0:
	case notNumber == nil || id.Valid(typed):
		page.Find.Wrong, status = v.lang.T("tenant.people.none"), http.StatusNotFound
	default:
		page.Find.Wrong, status = v.lang.T("tenant.people.find_wrong"), http.StatusBadRequest
	}
	return d.show(w, r, v, status, pageTenantPeople, once{}, page)
}

// person is the page about one person. Only the export has the full number.
type person struct {
	personRow
	ID, ListURL, ExportURL, File string
	NewPhone                     string    // that WhatsApp has reported, masked; empty: none
	ChangedAt                    time.Time // with NewPhone
	Report                       string    // names the report in the form
	Metadata                     *web.Code // nil: there is none
	Events                       []web.TenantEvent
	More                         bool // there are older events
	EventsURL                    string
}

// ownPerson returns the person that a path names. It returns the same error for another tenant's
// person and for an unknown one.
func (d *Dashboard) ownPerson(r *http.Request, v *visit) (*login.Person, error) {
	profileID := r.PathValue("id")
	if !id.Valid(profileID) {
		return nil, apierror.AuthPersonNotFound.Err()
	}
	p, err := d.Logins.Person(r.Context(), v.tenant.ID, profileID)
	if err == nil && p == nil {
		err = apierror.AuthPersonNotFound.Err()
	}
	return p, err
}

// person handles GET /dashboard/people/{id}.
func (d *Dashboard) person(w http.ResponseWriter, r *http.Request, v *visit) error {
	p, err := d.ownPerson(r, v)
	if err != nil {
		return err
	}
	return d.showPerson(w, r, v, p, http.StatusOK, d.taken(w, r, v))
}

func (d *Dashboard) showPerson(w http.ResponseWriter, r *http.Request, v *visit, p *login.Person, status int, shown once) error {
	events, err := d.Logins.PersonEvents(r.Context(), v.tenant.ID, p.ID, personEvents+1)
	if err != nil {
		return err
	}
	page := &person{personRow: rowOf(v.lang, p), ID: p.ID, ListURL: peoplePath, ExportURL: "/manage/people/" + p.ID, File: "person-" + p.ID + ".json", More: len(events) > personEvents}
	if p.NewPhone != "" {
		page.NewPhone, page.ChangedAt, page.Report = p.NewPhone.Masked(), p.ChangedAt, reportOf(p)
	}
	if p.Metadata != "" && p.Metadata != "{}" {
		page.Metadata = &web.Code{ID: "metadata", Title: "metadata", Text: p.Metadata}
	}
	clients, err := d.Tenants.ListClients(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	for i := range events[:min(len(events), personEvents)] {
		line := eventView(v, &events[i])
		line.Client, line.ClientURL = clientLink(clients, events[i].ClientID)
		page.Events = append(page.Events, line)
	}
	return d.show(w, r, v, status, pageTenantPerson, shown, page)
}

// erasePerson handles POST /dashboard/people/{id}/erase. A second press shows that no data is left.
func (d *Dashboard) erasePerson(w http.ResponseWriter, r *http.Request, v *visit) error {
	profileID := r.PathValue("id")
	if !id.Valid(profileID) {
		return apierror.AuthPersonNotFound.Err()
	}
	erased, err := d.Logins.Erase(r.Context(), v.tenant.ID, profileID)
	if err != nil {
		return err
	}
	shown := once{Done: "tenant.done.nothing_to_erase"}
	if erased {
		shown.Done = "tenant.done.erased"
	}
	return d.done(w, v, peoplePath, shown)
}

// reportOf names the report of a person's new number in a form, because pages have no full number.
func reportOf(p *login.Person) string { return strconv.FormatInt(p.ChangedAt.UnixMilli(), 10) }

// movePerson handles POST /dashboard/people/{id}/move. It refuses a form that was shown before another report.
func (d *Dashboard) movePerson(w http.ResponseWriter, r *http.Request, v *visit) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	p, err := d.ownPerson(r, v)
	if err != nil {
		return err
	}
	if p.NewPhone == "" || in.Get("report") != reportOf(p) {
		return d.showPerson(w, r, v, p, http.StatusConflict, once{Wrong: "tenant.people.move_stale"})
	}
	switch _, err = d.Logins.Move(r.Context(), v.tenant.ID, p.ID, p.NewPhone); {
	case errors.Is(err, apierror.AuthNumberNotReported.Err()):
		return d.showPerson(w, r, v, p, http.StatusConflict, once{Wrong: "tenant.people.move_stale"})
	case errors.Is(err, apierror.AuthNumberTaken.Err()):
		return d.showPerson(w, r, v, p, http.StatusConflict, once{Wrong: "tenant.people.move_taken"})
	case err != nil:
		return err
	}
	return d.done(w, v, peoplePath+"/"+p.ID, once{Done: "tenant.done.moved"})
}
