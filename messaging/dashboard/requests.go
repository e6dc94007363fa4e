package dashboard

import (
	"net/http"
	"net/url"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const requestsPath = "/dashboard/requests"

func (d *Dashboard) requestsRoutes() []httpx.Route {
	return []httpx.Route{d.form(requestsPath, account.MayAskOperator, d.askOperator)}
}

// A requestForm is a form that asks the operator for a sender or for a webhook endpoint.
type requestForm struct {
	Channel      *web.Select // of the sender; nil: the form is for a webhook endpoint
	Wanted, Note web.Field
	Open         []string // open requests
}

// requestForm returns the form with its values, or an empty one if form is nil.
func (d *Dashboard) requestForm(v *visit, webhook bool, form url.Values) (*requestForm, error) {
	lang, of, f := v.lang, "sender", &requestForm{}
	if webhook {
		of = account.WebhookRequest
	} else {
		s := channelSelect(lang, gateway.Channel(form.Get("kind")), "", "")
		s.ID, s.Name, s.Options = "kind", "kind", s.Options[1:]
		f.Channel = &s
	}
	f.Wanted = web.Field{ID: of + "-wanted", Name: "wanted", Label: lang.T("dashboard.requests.wanted_" + of), Hint: lang.T("dashboard.requests.wanted_" + of + "_hint"), Value: form.Get("wanted"), Required: true}
	f.Note = web.Field{ID: of + "-note", Name: "note", Label: lang.T("dashboard.requests.note"), Value: form.Get("note")}
	open, err := d.o.Directory.RequestsFor(v.r.Context(), v.caller)
	for _, r := range open {
		if (r.Kind == account.WebhookRequest) == webhook {
			f.Open = append(f.Open, lang.T("dashboard.requests.open", phone.Grouped(r.Wanted), v.moment(r.At)))
		}
	}
	return f, err
}

// askOperator handles POST /dashboard/requests.
func (d *Dashboard) askOperator(v *visit, form url.Values) error {
	r, wrong := &account.Request{Kind: form.Get("kind"), Wanted: visible.Trim(form.Get("wanted")), Note: visible.Trim(form.Get("note"))}, ""
	webhook, path := r.Kind == account.WebhookRequest, sendersPath
	if webhook {
		path = webhooksPath
	}
	if !d.readRequest(v, r) {
		wrong = "dashboard.requests.wrong"
	} else if stored, err := d.o.Directory.AskFor(v.r.Context(), v.caller, *r); err != nil {
		return err
	} else if !stored {
		wrong = "dashboard.requests.too_many"
	}
	if wrong == "" {
		return v.see(path + "?done=requested")
	}
	ask, err := d.requestForm(v, webhook, form)
	if err != nil {
		return err
	}
	ask.Wanted.Wrong = v.lang.T(wrong)
	if webhook {
		return d.showWebhooks(v, http.StatusBadRequest, &webhooksPage{Ask: ask})
	}
	return d.showSenders(v, http.StatusBadRequest, ask)
}

// readRequest reports whether a request is valid, and normalizes its number. A number without its plus is one of the
// account's country, or a whole number.
func (d *Dashboard) readRequest(v *visit, r *account.Request) bool {
	const longestURL, longestNote, longestName = 2000, 500, 15
	number, err := v.region().Read(r.Wanted)
	if err != nil {
		number, err = phone.Lookup(r.Wanted)
	}
	isNumber := err == nil
	if isNumber {
		r.Wanted = string(number)
	}
	if !visible.Name(r.Note, longestNote) {
		return false
	}
	switch r.Kind {
	case string(gateway.WhatsApp):
		return isNumber
	case string(gateway.SMS): // a number, a short code, or a name
		return r.Wanted != "" && visible.Name(r.Wanted, longestName)
	case string(gateway.Email):
		return message.IsEmail(r.Wanted)
	}
	return r.Kind == account.WebhookRequest && len(r.Wanted) <= longestURL && d.o.Endpoints.CheckURL(r.Wanted) == nil
}
