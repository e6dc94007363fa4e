package dashboard

import (
	"io"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/erasure"
	"example.com/griot/web"
)

const privacyPath = "/dashboard/privacy"

func (d *Dashboard) privacyRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", privacyPath, account.MayListErasures, d.privacy),
		d.form(privacyPath+"/export", account.MayManagePeople, d.exportPerson),
		d.form(privacyPath+"/erase", account.MayManagePeople, d.erasePerson),
	}
}

const pagePrivacy = "dashboard_privacy" // privacyPage

const erasuresOnPage = 20

// privacyPage is the page on which an owner exports and erases the account's data about a person.
type privacyPage struct {
	Export, Erase web.Field
	Sure          bool
	SureWrong     string
	Erasures      []erasureRow
	Running       bool // at least one erasure is in progress
}

type erasureRow struct {
	Pseudonym string
	Found     string // numbers of erased items by kind
	State     web.Badge
	At        time.Time
}

// privacy handles GET /dashboard/privacy.
func (d *Dashboard) privacy(v *visit) error {
	return d.servePrivacy(v, http.StatusOK, func(*privacyPage) {})
}

func (d *Dashboard) servePrivacy(v *visit, status int, change func(*privacyPage)) error {
	field := func(id string) web.Field {
		return web.Field{ID: id, Name: "address", Label: v.lang.T("dashboard.privacy.address"), Hint: v.lang.T("dashboard.privacy.address_hint"), Placeholder: "+223 76 00 00 01", Required: true}
	}
	page := &privacyPage{Export: field("export-address"), Erase: field("erase-address")}
	list, err := d.o.Erasure.ErasuresFor(v.r.Context(), v.caller, erasuresOnPage)
	if err != nil {
		return err
	}
	for _, e := range list {
		page.Erasures = append(page.Erasures, d.erasureRow(v, e))
		page.Running = page.Running || !e.Done()
	}
	change(page)
	return d.serve(v, status, pagePrivacy, privacyPath, page)
}

func (d *Dashboard) erasureRow(v *visit, e *erasure.Erasure) erasureRow {
	row := erasureRow{
		Pseudonym: e.Pseudonym, State: web.Badge{Text: v.lang.T("dashboard.privacy.running"), Tone: web.Info}, At: e.CreatedAt,
		Found: v.lang.T("dashboard.privacy.found", number(v.lang, e.Messages), number(v.lang, e.Canceled), number(v.lang, e.Received), number(v.lang, e.Events)),
	}
	if e.Done() {
		row.State = web.Badge{Text: v.lang.T("dashboard.privacy.finished"), Tone: web.Good}
	}
	return row
}

// exportPerson handles POST /dashboard/privacy/export. It responds with a file.
func (d *Dashboard) exportPerson(v *visit, form url.Values) error {
	var write func(io.Writer, func() error) error
	address, err := v.contact(form.Get("address"))
	if err == nil {
		write, err = d.o.Erasure.ExportFor(v.r.Context(), v.caller, address)
	}
	if e, ok := refusal(err); ok {
		return d.servePrivacy(v, e.Kind.Status, func(p *privacyPage) { refuseAddress(v, &p.Export, form.Get("address"), e) })
	}
	if err == nil {
		d.o.HTTP.WriteExport(v.w, "griot-person.json", write)
	}
	return err
}

// erasePerson handles POST /dashboard/privacy/erase. It requires a confirmation.
func (d *Dashboard) erasePerson(v *visit, form url.Values) error {
	if form.Get("sure") == "" {
		return d.servePrivacy(v, http.StatusBadRequest, func(p *privacyPage) {
			p.Erase.Value, p.SureWrong = form.Get("address"), v.lang.T("dashboard.privacy.sure_wrong")
		})
	}
	var e *erasure.Erasure
	address, err := v.contact(form.Get("address"))
	if err == nil {
		e, err = d.o.Erasure.EraseFor(v.r.Context(), v.caller, address)
	}
	if refused, ok := refusal(err); ok {
		return d.servePrivacy(v, refused.Kind.Status, func(p *privacyPage) {
			p.Sure = true
			refuseAddress(v, &p.Erase, form.Get("address"), refused)
		})
	}
	switch {
	case err != nil:
		return err
	case e.Done():
		return v.see(privacyPath + "?done=person_erased")
	}
	return v.see(privacyPath + "?done=person_erasing")
}

func refuseAddress(v *visit, f *web.Field, value string, e *apierror.Error) {
	f.Value, f.Wrong = value, explain(v.lang, because(e, value))
}
