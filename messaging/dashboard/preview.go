package dashboard

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/delivery"
)

// A preview is the expected result of sending a message.
type preview struct {
	Wrong  string // the reason for a refusal
	Ways   *waysOn
	Routes []previewRoute
	Facts  []fact
	Note   string
}

type previewRoute struct{ Channel, From string }

// preview handles POST /dashboard/send/preview, a dry run. It shows the page of the form with the expected result. It
// does not redirect, because it changes nothing.
func (d *Dashboard) preview(v *visit, form url.Values) error {
	page, sender, err := d.sendForm(v, form)
	if err != nil {
		return err
	}
	p, err := d.o.Delivery.Preview(v.r.Context(), sender, page.request(v, form))
	if e, ok := refusal(err); ok {
		page.Preview = &preview{Wrong: explain(v.lang, e), Ways: d.waysOn(v, e, form)}
		return d.serve(v, http.StatusOK, pageSend, sendPath, page)
	}
	if err != nil {
		return err
	}
	page.Preview = previewOf(v.lang, p, page.Simulated)
	return d.serve(v, http.StatusOK, pageSend, sendPath, page)
}

func previewOf(lang i18n.Lang, p *delivery.Preview, simulated bool) *preview {
	out := &preview{Facts: []fact{{Label: lang.T("dashboard.send.to"), Value: shownAddress(p.Message.To)}}}
	if n, ok := phone.Parse(p.Message.To); ok {
		out.Facts = append(out.Facts, fact{Label: lang.T("dashboard.preview.country"), Value: lang.CallingCode(n.Country())})
	}
	out.Facts = append(out.Facts, fact{Label: lang.T("dashboard.preview.characters"), Value: number(lang, int64(utf8.RuneCountInString(p.Message.Content.Text)))})
	for _, route := range p.Routes {
		out.Routes = append(out.Routes, previewRoute{channelName(lang, route.Channel), phone.Grouped(route.From)})
	}
	if p.SMS != nil {
		out.Facts = append(out.Facts, fact{Label: lang.T("dashboard.message.segments"), Value: number(lang, int64(p.SMS.Count)) + " (" + string(p.SMS.Encoding) + ")"})
	}
	switch {
	case len(p.Routes) == 0 || simulated:
		out.Note = lang.T("dashboard.preview.simulated")
	case p.Limit > 0:
		out.Facts = append(out.Facts, fact{Label: lang.T("dashboard.preview.quota"), Value: lang.T("dashboard.preview.quota_after", number(lang, p.Used), number(lang, p.Limit))})
	}
	return out
}
