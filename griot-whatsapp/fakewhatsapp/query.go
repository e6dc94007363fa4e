package fakewhatsapp

import (
	"cmp"
	"net/http"
	"strings"

	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

func (c *conn) result(n *waBinary.Node, content ...waBinary.Node) bool {
	return c.send(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "result", "id": n.Attrs["id"]}, Content: content}) == nil
}

// errorTexts are WhatsApp's names for its error codes.
var errorTexts = map[int]string{
	http.StatusNotFound: "item-not-found", http.StatusTooManyRequests: "rate-overlimit", http.StatusInternalServerError: "internal-server-error",
	http.StatusServiceUnavailable: "service-unavailable",
}

func (c *conn) refuse(n *waBinary.Node, code int) bool {
	if code < 0 {
		return code == NoResponse
	}
	return c.send(waBinary.Node{
		Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "error", "id": n.Attrs["id"]},
		Content: []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": code, "text": errorTexts[code]}}},
	}) == nil
}

// iq responds to a query. Unknown queries get an empty result.
func (c *conn) iq(n *waBinary.Node) bool {
	if n.Attrs["type"] == "error" {
		c.s.unlink(c.user, c.linking)
		return true
	}
	if n.Attrs["type"] == "result" {
		if _, ok := n.GetOptionalChildByTag("pair-device-sign"); ok {
			c.s.mu.Lock()
			c.linking = nil
			c.s.mu.Unlock()
			c.s.announce(c.user)
			c.end(&waBinary.Node{Tag: "stream:error", Attrs: waBinary.Attrs{"code": "515"}})
		}
		return true
	}
	if code := c.refused(kindOf(n)); code != 0 {
		return c.refuse(n, code)
	}
	switch n.Attrs["xmlns"] {
	case "encrypt":
		return c.prekeys(n)
	case "usync":
		list := c.s.usync(c.user, n)
		return c.result(n, waBinary.Node{Tag: "usync", Content: []waBinary.Node{{Tag: "list", Content: list}}})
	case "w:m":
		return c.result(n, waBinary.Node{
			Tag: "media_conn", Attrs: waBinary.Attrs{"auth": "a", "ttl": 300, "auth_ttl": 300, "max_buckets": 12},
			Content: []waBinary.Node{{Tag: "host", Attrs: waBinary.Attrs{"hostname": "mmg.whatsapp.net"}}},
		})
	case "w:g2":
		found, ok := c.groups(n)
		if !ok {
			return c.refuse(n, http.StatusNotFound)
		}
		return c.result(n, found)
	case "md":
		return c.md(n)
	case "w:mex":
		return c.mex(n)
	case "privacy":
		return c.issue(n)
	case "w:sync:app:state":
		return c.appState(n)
	}
	return c.result(n)
}

// kindOf returns the kind of a query; empty for one that no fault refuses.
func kindOf(n *waBinary.Node) Query {
	switch n.Attrs["xmlns"] {
	case "encrypt":
		if n.Attrs["type"] == "get" && len(children(n, "key")) > 0 {
			return PreKeys
		}
	case "w:g2":
		return Groups
	case "usync":
		query, _ := n.GetOptionalChildByTag("usync", "query")
		for tag, kind := range map[string]Query{"contact": Lookups, "lid": Users} {
			if _, ok := query.GetOptionalChildByTag(tag); ok {
				return kind
			}
		}
		return Devices
	}
	return ""
}

// refused returns the error by which queries of a kind are refused, or 0.
func (c *conn) refused(kind Query) int {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.ours().Refuse[kind]
}

// md responds to the two steps of a pairing with a code, and unlinks a device on request.
func (c *conn) md(n *waBinary.Node) bool {
	if _, ok := n.GetOptionalChildByTag("remove-companion-device"); ok {
		c.s.unlink(c.user, c.device)
		return c.result(n)
	}
	if open, ok := c.passkeySteps(n); ok {
		return open
	}
	reg, ok := n.GetOptionalChildByTag("link_code_companion_reg")
	if !ok {
		return c.result(n)
	}
	phone, _ := reg.Attrs["jid"].(types.JID)
	if reg.Attrs["stage"] == "companion_finish" {
		return c.result(n) && c.finish(phone.User, reg) == nil
	}
	return c.result(n, waBinary.Node{
		Tag: "link_code_companion_reg", Content: []waBinary.Node{{Tag: "link_code_pairing_ref", Content: c.hello(phone.User, reg)}},
	})
}

// prekeys counts, stores, or returns prekeys.
func (c *conn) prekeys(n *waBinary.Node) bool {
	s := c.s
	kids := n.GetChildren()
	if len(kids) > 0 && kids[0].Tag == "count" {
		s.mu.Lock()
		count := len(c.device.prekeys)
		s.mu.Unlock()
		return c.result(n, waBinary.Node{Tag: "count", Attrs: waBinary.Attrs{"value": count}})
	}
	if n.Attrs["type"] == "set" {
		s.mu.Lock()
		for _, k := range kids {
			switch k.Tag {
			case "registration":
				c.device.registration, _ = k.Content.([]byte)
			case "identity":
				c.device.identity, _ = k.Content.([]byte)
			case "list":
				c.device.prekeys = append(c.device.prekeys, k.GetChildren()...)
			case "skey":
				c.device.signed = &k
			}
		}
		s.mu.Unlock()
		return c.result(n)
	}
	var users []waBinary.Node
	s.mu.Lock()
	for _, asked := range children(n, "key") {
		j, _ := asked.Attrs["jid"].(types.JID)
		users = append(users, s.bundle(j))
	}
	s.mu.Unlock()
	return c.result(n, waBinary.Node{Tag: "list", Content: users})
}

// bundle takes the keys of a device for one session. The caller holds mu.
func (s *Server) bundle(j types.JID) waBinary.Node {
	user := waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": j, "t": unixNow()}}
	_, d := s.find(j)
	if d == nil || d.signed == nil {
		user.Content = []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": http.StatusNotFound, "text": "item-not-found"}}}
		return user
	}
	content := []waBinary.Node{{Tag: "registration", Content: d.registration}, {Tag: "type", Content: []byte{5}}, {Tag: "identity", Content: d.identity}, *d.signed}
	if len(d.prekeys) > 0 {
		content = append(content, d.prekeys[0])
		d.prekeys = d.prekeys[1:]
	}
	user.Content = content
	return user
}

// usync returns the WhatsApp users for a user's query, with their IDs and devices.
func (s *Server) usync(asker *user, n *waBinary.Node) (users []waBinary.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range children(n, "usync", "list") {
		j, ok := asked.Attrs["jid"].(types.JID)
		if !ok {
			users = append(users, s.faults.Lookup.spoil(s.lookup(n, asked))...)
			continue
		}
		answer := waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": j}}
		u, _ := s.find(types.JID{User: j.User, Server: j.Server})
		if u == nil {
			users = append(users, answer)
			continue
		}
		u.knownTo[asker] = true
		var devices []waBinary.Node
		for id := range u.devices {
			devices = append(devices, waBinary.Node{Tag: "device", Attrs: waBinary.Attrs{"id": int(id)}})
		}
		answer.Content = []waBinary.Node{
			{Tag: "devices", Content: []waBinary.Node{{Tag: "device-list", Content: devices}}},
			{Tag: "lid", Attrs: waBinary.Attrs{"val": u.id()}},
		}
		users = append(users, answer)
	}
	return users
}

// lookup finds the owner of a phone number and returns the ID or the number that WhatsApp uses. The caller holds mu.
func (s *Server) lookup(n *waBinary.Node, asked waBinary.Node) waBinary.Node {
	contact, _ := asked.GetOptionalChildByTag("contact")
	content, _ := contact.Content.([]byte)
	number, _ := strings.CutSuffix(strings.TrimPrefix(string(content), "+"), "@"+types.LegacyUserServer)
	s.lookups[number]++
	u := cmp.Or(s.users[number], s.other[number])
	if u == nil {
		return waBinary.Node{
			Tag: "user", Attrs: waBinary.Attrs{"jid": types.NewJID(number, types.DefaultUserServer)},
			Content: []waBinary.Node{{Tag: "contact", Attrs: waBinary.Attrs{"type": "out"}, Content: content}},
		}
	}
	id, phone := u.id(), u.number()
	query, _ := n.GetOptionalChildByTag("usync", "query", "contact")
	attrs := waBinary.Attrs{"jid": id, "pn_jid": phone}
	switch {
	case query.Attrs["addressing_mode"] != "lid" || s.faults.HideIDs:
		attrs = waBinary.Attrs{"jid": phone}
	case s.faults.HideNumbers:
		attrs = waBinary.Attrs{"jid": id}
	}
	return waBinary.Node{Tag: "user", Attrs: attrs, Content: []waBinary.Node{{Tag: "contact", Attrs: waBinary.Attrs{"type": "in"}, Content: content}}}
}

// spoil returns a response to a lookup in another form.
func (l Lookup) spoil(user waBinary.Node) []waBinary.Node {
	contact := &user.GetChildren()[0]
	switch l {
	case LeftOut:
		return nil
	case Unsaid:
		delete(contact.Attrs, "type")
	case RefusedOne:
		contact.Attrs, contact.Content = nil, []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": http.StatusTooManyRequests, "text": errorTexts[http.StatusTooManyRequests]}}}
	case Unidentified:
		user.Attrs = nil
	}
	return []waBinary.Node{user}
}

// groups returns the groups of the device's owner, or the requested one.
func (c *conn) groups(n *waBinary.Node) (waBinary.Node, bool) {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	describe := func(g *Group) waBinary.Node {
		var participants []waBinary.Node
		for _, phone := range g.Members {
			u := s.users[phone]
			attrs := waBinary.Attrs{"jid": types.NewJID(u.lid, types.HiddenUserServer), "phone_number": types.NewJID(u.phone, types.DefaultUserServer)}
			if g.Admins[phone] {
				attrs["type"] = "admin"
			}
			participants = append(participants, waBinary.Node{Tag: "participant", Attrs: attrs})
		}
		return waBinary.Node{
			Tag:     "group",
			Attrs:   waBinary.Attrs{"id": g.ID, "subject": g.Name, "creation": unixNow(), "s_t": unixNow(), "size": len(g.Members), "addressing_mode": "lid"},
			Content: participants,
		}
	}
	if kids := n.GetChildren(); len(kids) > 0 && kids[0].Tag == "participating" {
		var list []waBinary.Node
		for _, g := range s.groups {
			for _, phone := range g.Members {
				if phone == c.user.phone {
					list = append(list, describe(g))
				}
			}
		}
		return waBinary.Node{Tag: "groups", Content: list}, true
	}
	to, _ := n.Attrs["to"].(types.JID)
	if g := s.groups[to.User]; g != nil {
		return describe(g), true
	}
	return waBinary.Node{}, false
}
