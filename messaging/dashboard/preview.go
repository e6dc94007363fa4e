package dashboard

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/delivery"
)

// A preview is the expected result of sending a message: the message as its recipient sees it, and its routes.
type preview struct {
	Wrong         string // the reason for a refusal
	Ways          *waysOn
	To            string // the recipient, with the country of a number
	Subject, Text string
	About         []string // the size of the text, and the time
	Routes        []previewRoute
	Note          string
}

type previewRoute struct{ Channel, From string }

// preview handles POST /dashboard/send/preview, a dry run. It shows the page of the form with the expected result. It
// does not redirect, because it changes nothing.
func (d *Dashboard) preview(v *visit, form url.Values) error {
	page, sender, err := d.sendForm(v, form)
	if err != nil {
		return err
	}
	p, err := d.o.Delivery.Preview(v.r.Context(), sender, d.requestOf(v, page, form))
	if e, ok := refusal(err); ok {
		page.Preview = &preview{Wrong: page.variableLabel(e) + explain(v.lang, e), Ways: d.waysOn(v, e, form)}
		return d.serve(v, http.StatusOK, pageSend, sendPath, page)
	}
	if err != nil {
		return err
	}
	page.Preview = previewOf(v, p, page.Simulated)
	return d.serve(v, http.StatusOK, pageSend, sendPath, page)
}

func previewOf(v *visit, p *delivery.Preview, simulated bool) *preview {
	lang, content := v.lang, &p.Message.Content
	out := &preview{To: lang.T("dashboard.preview.to", shownAddress(p.Message.To)), Text: content.Text}
	if n, ok := phone.Parse(p.Message.To); ok {
		out.To += " · " + lang.CallingCode(n.Country())
	}
	if p.Message.Channel == gateway.Email {
		out.Subject = content.Subject
	}
	out.About = append(out.About, lang.T("dashboard.preview.characters", number(lang, int64(utf8.RuneCountInString(content.Text)))))
	if p.SMS != nil {
		out.About = append(out.About, lang.T("dashboard.preview.sms", number(lang, int64(p.SMS.Count)), p.SMS.Encoding))
	}
	if at := p.Message.ScheduledAt; !at.IsZero() {
		out.About = append(out.About, lang.T("dashboard.preview.at", v.moment(at)))
	}
	for _, route := range p.Routes {
		out.Routes = append(out.Routes, previewRoute{channelName(lang, route.Channel), phone.Grouped(route.From)})
	}
	switch {
	case len(p.Routes) == 0 || simulated:
		out.Note = lang.T("dashboard.preview.simulated")
	case p.Limit > 0:
		out.Note = lang.T("dashboard.preview.quota", number(lang, p.Used), number(lang, p.Limit))
	}
	return out
}
