package operator

import (
	"cmp"
	"net/url"

	"example.com/griot/internal/httpx"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/web"
)

const (
	prefixesPath = Home + "/prefixes"
	releasePath  = prefixesPath + "/release"
	maxPrefixes  = 1000 // that the verb lists
)

func (p *Pages) prefixesRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: prefixesPath, Handler: p.page(p.prefixes)},
		{Method: "GET", Path: releasePath, Handler: p.page(p.askRelease)},
		{Method: "POST", Path: releasePath, Handler: p.form(p.release)},
	}
}

// prefixes shows the targets of one-time codes, blocked prefixes first, and this hour's counts.
func (p *Pages) prefixes(v *visit) error {
	found, err := ask[messagingverbs.OTPTraffic](v, "otp.list", messagingverbs.OTPInput{Limit: maxPrefixes})
	if err != nil {
		return err
	}
	page := web.OperatorPrefixes{}
	from, to := v.pageRange(&page.Pages, prefixesPath, max(len(found.Prefixes), len(found.Caps)))
	for i := from; i < min(to, len(found.Prefixes)); i++ {
		f := &found.Prefixes[i]
		line := web.OperatorPrefix{Prefix: "+" + f.Prefix, AccountURL: accountPath(f.AccountID), Account: cmp.Or(f.AccountName, f.AccountID), Sent: f.Sent, Verified: f.Verified, Percent: v.lang.Percent(f.Verified, f.Sent)}
		if f.BlockedUntil != nil {
			line.Until, line.ReleaseURL = *f.BlockedUntil, httpx.WithQuery(releasePath, url.Values{"account": {f.AccountID}, "area": {f.Prefix}})
		}
		page.Prefixes = append(page.Prefixes, line)
	}
	for i := from; i < min(to, len(found.Caps)); i++ {
		page.Caps = append(page.Caps, v.areaLine(&found.Caps[i]))
	}
	return v.show(web.PageOperatorPrefixes, page)
}

func (v *visit) areaLine(c *messagingverbs.OTPCap) web.OperatorArea {
	area, name := c.Prefix, "+"+c.Prefix
	if c.Country != "" {
		area, name = c.Country, v.lang.CallingCode(c.Country)
	}
	out := web.OperatorArea{Name: name, Sent: c.Sent, Most: v.lang.T("operator.plan.none"), ReleaseURL: httpx.WithQuery(releasePath, url.Values{"account": {c.AccountID}, "area": {area}}), Account: cmp.Or(c.AccountName, c.AccountID), AccountURL: v.pages.pageOf(nil, "account", c.AccountID)}
	if c.Most != nil {
		out.Most, out.Full = v.lang.Number(*c.Most), c.Sent >= *c.Most
	}
	return out
}

// askRelease shows the confirmation for sending codes to an area again.
func (p *Pages) askRelease(v *visit) error {
	q := v.r.URL.Query()
	name, err := v.accountName(q.Get("account"))
	if err != nil {
		return err
	}
	return v.show(web.PageOperatorRelease, web.OperatorRelease{URL: releasePath, PrefixesURL: prefixesPath, AccountID: q.Get("account"), Account: name, Area: q.Get("area")})
}

// release allows codes to an area again.
func (p *Pages) release(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	return v.act(prefixesPath, "otp.lift", messagingverbs.OTPUnblock{AccountID: in.Get("account"), Area: in.Get("area")}, "operator.done.released")
}
