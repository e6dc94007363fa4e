package operator

import (
	"strings"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const signingPath = Home + "/signing-keys"

func (p *Pages) signingRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: signingPath, Handler: p.page(p.signingKeys)},
		{Method: "POST", Path: signingPath + "/rotate", Handler: p.form(p.rotateKeys)},
		{Method: "POST", Path: signingPath + "/emergency", Handler: p.form(p.rotateInEmergency)},
	}
}

const activeKey = "active" // the status of the signing key

// signingKeys lists the published keys.
func (p *Pages) signingKeys(v *visit) error {
	found, err := ask[[]authverbs.Key](v, "keys.list", authverbs.Nothing{})
	if err != nil {
		return err
	}
	page := web.OperatorSigningKeys{URL: signingPath}
	from, to := v.pageRange(&page.Pages, signingPath, len(found))
	for i := range found[from:min(to, len(found))] {
		k := &found[from+i]
		line := web.OperatorSigningKey{Kid: k.Kid, PublishedAt: k.PublishedAt, SignsAt: k.SignsAt, State: web.Badge{Text: v.lang.T("operator.signing.previous")}}
		switch k.Status {
		case activeKey:
			line.State = web.Badge{Text: v.lang.T("operator.signing.active"), Tone: web.Good}
		case "next":
			line.State, page.HasNext = web.Badge{Text: v.lang.T("operator.signing.next"), Tone: web.Info}, true
		}
		if k.StoppedAt != nil {
			line.StoppedAt = *k.StoppedAt
		}
		page.Keys = append(page.Keys, line)
	}
	return v.show(web.PageOperatorSigningKeys, page)
}

func (p *Pages) rotateKeys(v *visit) error {
	return v.act(signingPath, "keys.rotate", authverbs.RotateInput{}, "operator.done.key_published")
}

// rotateInEmergency replaces all keys, after the operator has typed the kid of the signing one. Everyone must then
// sign in again.
func (p *Pages) rotateInEmergency(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	keys, err := ask[[]authverbs.Key](v, "keys.list", authverbs.Nothing{})
	if err != nil {
		return err
	}
	typed := strings.TrimSpace(in.Get("kid"))
	for _, k := range keys {
		if k.Status == activeKey && k.Kid == typed {
			return v.act(signingPath, "keys.rotate", authverbs.RotateInput{Emergency: true}, "operator.done.keys_replaced")
		}
	}
	return v.leave(signingPath, flash{wrong: "operator.signing.wrong_kid"})
}
