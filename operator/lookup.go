package operator

import (
	"net/http"
	"slices"
	"strings"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/web"
)

const lookupPath = Home + "/messages"

func (p *Pages) lookupRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: lookupPath, Handler: p.page(p.askMessage)},
		{Method: "POST", Path: lookupPath, Handler: p.form(p.findMessage)},
	}
}

// askMessage shows the form for the id of a message.
func (p *Pages) askMessage(v *visit) error {
	return v.show(web.PageOperatorLookup, v.lookup(""))
}

func (v *visit) lookup(id string) web.OperatorLookup {
	return web.OperatorLookup{URL: lookupPath, ID: web.Field{ID: "id", Name: "id", Label: v.lang.T("operator.lookup.id"), Value: id, Placeholder: "msg_…", Required: true}}
}

// findMessage shows a message. It is a POST because each view adds an entry to the audit log, and reloading a page must
// not add one.
func (p *Pages) findMessage(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := strings.TrimSpace(in.Get("id"))
	page := v.lookup(id)
	m, err := ask[messagingverbs.Message](v, "messages.show", messagingverbs.ByID{ID: id})
	if text, refused := verb.Refusal(err); refused {
		return v.showForm(http.StatusNotFound, web.PageOperatorLookup, page, text)
	}
	if err != nil {
		return err
	}
	page.Found = v.message(&m)
	if page.Found.Account, err = v.accountName(m.AccountID); err != nil {
		return err
	}
	return v.show(web.PageOperatorLookup, page)
}

// accountName returns the name of an account, or its ID if it doesn't exist.
func (v *visit) accountName(accountID string) (string, error) {
	switch accountID {
	case "":
		return "", nil
	case account.PlatformID:
		return v.valueText("account", ""), nil
	}
	a, err := ask[messagingverbs.Account](v, "accounts.show", messagingverbs.OfAccount{Account: accountID})
	if _, refused := verb.Refusal(err); refused {
		return accountID, nil
	}
	return a.Name, err
}

func (v *visit) message(m *messagingverbs.Message) *web.OperatorMessage {
	out := &web.OperatorMessage{
		ID: m.ID, Status: v.messageBadge(m.Status), Recipient: m.Recipient, Channel: v.valueText("channel", m.Channel), Requested: v.valueText("channel", m.Requested), From: phone.Grouped(m.From), Gateway: m.Gateway,
		ProviderID: m.ProviderID, Source: m.Source, Sensitive: m.Sensitive, Characters: m.Characters, Calls: m.Calls, CreatedAt: m.CreatedAt, ExpiresAt: m.ExpiresAt, Failure: strings.TrimSpace(m.Code + " " + m.ProviderCode),
	}
	if m.AccountID != account.PlatformID {
		out.AccountURL = accountPath(m.AccountID)
	}
	out.SenderURL, out.GatewayURL = v.pages.pageOf(nil, "sender", m.SenderID), v.pages.pageOf(nil, "gateway", m.Gateway)
	if m.DueAt != nil {
		out.DueAt = *m.DueAt
	}
	for _, s := range m.Steps {
		badge := v.messageBadge(s.Status)
		parts := slices.DeleteFunc([]string{v.valueText("channel", s.Channel), s.Code, s.ProviderCode, s.Note}, func(part string) bool { return part == "" })
		step := web.Step{At: s.At, Title: badge.Text, Tone: badge.Tone, Text: strings.Join(parts, " · "), Of: s.SenderID, OfURL: v.pages.pageOf(nil, "sender", s.SenderID)}
		if s.SenderID == m.SenderID && out.From != "" {
			step.Of = out.From
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func (v *visit) messageBadge(status string) web.Badge {
	return web.Badge{Text: v.valueText("status", status), Tone: map[string]web.Tone{
		"SENT": web.Info, "DELIVERED": web.Good, "READ": web.Good, "FAILED": web.Bad, "EXPIRED": web.Bad, "CANCELED": web.Warn, "SENDING": web.Info, "QUEUED": web.Info, "SCHEDULED": web.Info,
	}[status]}
}
