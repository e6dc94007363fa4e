package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
	"example.com/griot/web"
)

const (
	optOutsPath   = "/dashboard/opt-outs"
	newOptOutPath = optOutsPath + "/new"
)

func (d *Dashboard) optOutsRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", optOutsPath, account.MayManageOptOuts, d.optOuts),
		d.form(optOutsPath, account.MayManageOptOuts, d.addOptOut),
		d.member("GET", newOptOutPath, account.MayManageOptOuts, d.newOptOut),
		d.member("GET", optOutsPath+"/{id}", account.MayManageOptOuts, d.optOut),
		d.member("POST", optOutsPath+"/{id}/remove", account.MayManageOptOuts, d.removeOptOut),
	}
}

const pageOptOuts = "dashboard_opt_outs" // optOuts

const optOutsOnPage = 50

// optOuts is the page of opt-outs, sorted by channel and address.
type optOuts struct {
	list
	Search  web.Field
	Channel web.Select
	Rows    []optOutRow
	NewURL  string
}

type optOutRow struct {
	URL, Contact, Channel, Source string
	Since                         time.Time
}

// optOuts handles GET /dashboard/opt-outs.
func (d *Dashboard) optOuts(v *visit) error {
	q := v.r.URL.Query()
	search, channel := strings.TrimSpace(q.Get("q")), gateway.Channel(q.Get("channel"))
	page := &optOuts{
		list:    list{AllURL: v.url(optOutsPath), Filtered: search != "" || channel != ""},
		Search:  web.Field{ID: "q", Name: "q", Label: v.lang.T("dashboard.opt_outs.search"), Value: search, Type: "search"},
		Channel: channelSelect(v.lang, channel, v.lang.T("dashboard.logs.any"), ""),
		NewURL:  v.url(newOptOutPath),
	}
	f := &optout.Filter{Channel: channel, Search: v.search(search), After: q.Get("cursor"), Limit: optOutsOnPage}
	if n, err := v.region().Read(search); err == nil {
		f.Whole = n.E164()
	}
	list, next, err := d.o.OptOuts.List(v.r.Context(), v.caller, f)
	if e, ok := refusal(err); ok {
		page.Wrong = v.lang.T("dashboard.logs.wrong")
		return d.serve(v, e.Kind.Status, pageOptOuts, optOutsPath, page)
	}
	if err != nil {
		return err
	}
	for _, o := range list {
		page.Rows = append(page.Rows, optOutRow{v.url(optOutsPath + "/" + o.ID()), optOutContact(v.lang, o.Address), optOutChannel(v.lang, o.Channel), sourceName(v.lang, o.Reason), o.At})
	}
	none := web.Empty{Icon: "ban", Title: v.lang.T("dashboard.opt_outs.none"), Text: v.lang.T("dashboard.opt_outs.none_text"), ActionURL: page.NewURL, Action: v.lang.T("dashboard.opt_outs.add")}
	page.finish(v, len(page.Rows), f.After, next, v.placeIn(optOutsPath, q, "q", "channel"), "dashboard.opt_outs.list_", none)
	return d.serve(v, http.StatusOK, pageOptOuts, optOutsPath, page)
}

// optOutContact returns the text for an opt-out's contact. For an erased person, it is only a pseudonym.
func optOutContact(lang i18n.Lang, address string) string {
	if person.IsPseudonym(address) {
		return lang.T("dashboard.opt_outs.erased", address[len(address)-4:])
	}
	return shownAddress(address)
}

// optOutChannel names the channel of an opt-out, and its scope.
func optOutChannel(lang i18n.Lang, c gateway.Channel) string {
	if of, scope := optout.Scope(c); scope == "" {
		return channelName(lang, of)
	}
	return lang.T("dashboard.opt_outs.channel_marketing")
}

// sourceName describes the origin of an opt-out.
func sourceName(lang i18n.Lang, why optout.Reason) string {
	return lang.Named("dashboard.opt_outs.by_", string(why))
}

const pageNewOptOut = "dashboard_opt_out_new" // newOptOut

// newOptOut is the form for adding an opt-out.
type newOptOut struct {
	Action, Back string
	Address      web.Field
	Channel      web.Select
	Wrong        string
}

func newOptOutForm(v *visit, given url.Values) *newOptOut {
	lang := v.lang
	p := &newOptOut{
		Action: v.url(optOutsPath), Back: v.url(optOutsPath),
		Address: web.Field{ID: "address", Name: "address", Label: lang.T("dashboard.opt_outs.contact"), Value: given.Get("address"), Hint: lang.T("dashboard.opt_outs.address_hint"), Required: true, Focus: reads(v.r), Placeholder: "+223 76 00 00 01"},
		Channel: channelSelect(lang, gateway.Channel(given.Get("channel")), "", ""),
	}
	p.Channel.Options = p.Channel.Options[1:]
	return p
}

// newOptOut handles GET /dashboard/opt-outs/new. The query can contain the address and the channel.
func (d *Dashboard) newOptOut(v *visit) error {
	return d.serve(v, http.StatusOK, pageNewOptOut, optOutsPath, newOptOutForm(v, v.r.URL.Query()))
}

// addOptOut handles POST /dashboard/opt-outs.
func (d *Dashboard) addOptOut(v *visit, form url.Values) error {
	var o *optout.OptOut
	fresh := false
	address, err := v.contact(form.Get("address"))
	if err == nil {
		o, fresh, err = d.o.OptOuts.Add(v.r.Context(), v.caller, gateway.Channel(form.Get("channel")), address)
	}
	if e, ok := refusal(err); ok {
		page := newOptOutForm(v, form)
		blame(e, explain(v.lang, because(e, form.Get("address"))), map[string]*string{"address": &page.Address.Wrong, "channel": &page.Channel.Wrong}, &page.Wrong)
		return d.serve(v, e.Kind.Status, pageNewOptOut, optOutsPath, page)
	}
	switch {
	case err != nil:
		return err
	case !fresh:
		return v.see(optOutsPath + "/" + o.ID() + "?done=opt_out_there")
	}
	return v.see(optOutsPath + "?done=opt_out_added")
}

const pageOptOut = "dashboard_opt_out" // optOutDetails

// optOutDetails is the page of an opt-out, with the consequences of removing it.
type optOutDetails struct {
	Contact, Back, RemoveURL string
	Facts                    []fact
	Since                    time.Time
	Means                    web.Alert
}

// optOut handles GET /dashboard/opt-outs/:id.
func (d *Dashboard) optOut(v *visit) error {
	o, err := d.o.OptOuts.Find(v.r.Context(), v.caller, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	page := &optOutDetails{
		Contact: optOutContact(v.lang, o.Address), Back: v.url(optOutsPath), RemoveURL: v.url(optOutsPath + "/" + o.ID() + "/remove"), Since: o.At, Means: meaning(v.lang, o),
		Facts: []fact{{Label: v.lang.T("dashboard.opt_outs.channel"), Value: optOutChannel(v.lang, o.Channel)}, {Label: v.lang.T("dashboard.opt_outs.source"), Value: sourceName(v.lang, o.Reason)}},
	}
	return d.serve(v, http.StatusOK, pageOptOut, optOutsPath, page)
}

// meaning explains the consequences of removing an opt-out.
func meaning(lang i18n.Lang, o *optout.OptOut) web.Alert {
	why := string(o.Reason)
	if o.Channel == optout.Marketing {
		why = optout.ScopeMarketing
	}
	a := web.Alert{Tone: web.Warn, Title: lang.T("dashboard.opt_outs.title_" + why), Text: lang.T("dashboard.opt_outs.means_" + why)}
	if o.Reason == optout.Added {
		a.Tone = ""
	}
	return a
}

// removeOptOut handles POST /dashboard/opt-outs/:id/remove.
func (d *Dashboard) removeOptOut(v *visit) error {
	return v.seeAfter(d.o.OptOuts.Remove(v.r.Context(), v.caller, v.r.PathValue("id")), optOutsPath+"?done=opt_out_removed")
}
