package fakewhatsapp

import (
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

// handle handles a stanza and reports whether the connection continues.
func (c *conn) handle(n *waBinary.Node) bool {
	if n.Tag == "iq" {
		return c.iq(n)
	}
	if c.device == nil {
		return true // an unpaired client acknowledges notifications
	}
	switch n.Tag {
	case "message":
		return c.message(n)
	case "receipt":
		return c.receipt(n)
	case "ack":
		if class, ok := n.Attrs["class"].(string); ok {
			c.acknowledged(class, n.Attrs["id"], Acknowledged)
		}
	}
	return true
}

// receipt removes a message from the queue and forwards the receipt to the sender's devices.
func (c *conn) receipt(n *waBinary.Node) bool {
	s := c.s
	fate := Acknowledged
	if n.Attrs["type"] == "retry" { // the sender submits it again
		fate = Queued
	}
	c.acknowledged("message", n.Attrs["id"], fate)
	to, _ := n.Attrs["to"].(types.JID)
	attrs := waBinary.Attrs{"id": n.Attrs["id"], "t": unixNow(), "from": c.device.lid}
	if kind, ok := n.Attrs["type"]; ok {
		attrs["type"] = kind
	}
	s.mu.Lock()
	u, _ := s.find(to)
	if to.Server == types.GroupServer {
		attrs["from"], attrs["participant"] = to, c.device.lid
		author, _ := n.Attrs["participant"].(types.JID)
		u, _ = s.find(author)
	}
	var devices []*device
	if u != nil && u != c.user {
		for _, d := range u.devices {
			devices = append(devices, d)
		}
	}
	s.mu.Unlock()
	for _, d := range devices {
		s.deliver(d, waBinary.Node{Tag: "receipt", Attrs: attrs, Content: n.Content})
	}
	return c.send(waBinary.Node{Tag: "ack", Attrs: waBinary.Attrs{"class": "receipt", "id": n.Attrs["id"], "from": to, "t": unixNow()}}) == nil
}

// message delivers a message to the devices that it names, once for each ID, and acknowledges it.
func (c *conn) message(n *waBinary.Node) bool {
	s := c.s
	to, _ := n.Attrs["to"].(types.JID)
	id, _ := n.Attrs["id"].(string)
	s.mu.Lock()
	s.seen[id]++
	_, retried := n.GetOptionalChildByTag("enc") // for one device that couldn't decrypt it
	repeated, faults := s.taken[id] && !(retried && to.Server != types.GroupServer), c.ours()
	if faults.AckError == 0 && faults.NeedTokens == c.user.phone && !retried && !c.admits(to, n) {
		faults.AckError = reachOut
	}
	s.taken[id] = s.taken[id] || faults.AckError == 0
	s.mu.Unlock()
	if faults.AckError == 0 && !repeated {
		c.fanOut(to, n)
	}
	if faults.DropOnMessage {
		return false
	}
	if faults.DropAcks {
		return true
	}
	attrs := waBinary.Attrs{"class": "message", "id": id, "from": to, "t": unixNow()}
	if faults.AckError != 0 {
		attrs["error"] = faults.AckError
	}
	return c.send(waBinary.Node{Tag: "ack", Attrs: attrs}) == nil
}

func (c *conn) fanOut(to types.JID, n *waBinary.Node) {
	s := c.s
	var group *waBinary.Node // the content encrypted for a whole group
	for _, child := range n.GetChildren() {
		if child.Tag == "enc" {
			group = &child
		}
	}
	s.mu.Lock()
	address, garbled, withheld := c.user.address, c.user.garbled, c.user.withheld
	c.user.garbled, c.user.withheld = false, nil
	var partner types.JID // the recipient's number, if it is shown
	if u, _ := s.find(to); u != nil && u.address == ByBoth && to.Server == types.HiddenUserServer {
		partner = types.NewJID(u.phone, types.DefaultUserServer)
	}
	s.mu.Unlock()
	done := map[*device]bool{c.device: true}
	emit := func(j types.JID, content []waBinary.Node) {
		s.mu.Lock()
		u, d := s.find(j)
		s.mu.Unlock()
		if d == nil || done[d] {
			return
		}
		done[d] = true
		attrs := waBinary.Attrs{"id": n.Attrs["id"], "t": unixNow(), "type": n.Attrs["type"], "notify": "user " + c.user.phone}
		if to.Server == types.GroupServer {
			attrs["from"], attrs["participant"], attrs["participant_pn"], attrs["addressing_mode"] = to, c.device.lid, c.device.number, "lid"
		} else {
			attrs["from"], attrs["sender_pn"] = c.device.lid, c.device.number
			switch address {
			case ByBoth:
			case ByID:
				delete(attrs, "sender_pn")
				attrs["notify"] = "somebody"
			case ByNumber:
				delete(attrs, "sender_pn")
				attrs["from"] = c.device.number
			}
			hostAll(attrs, c.user.hosted)
		}
		if u == c.user {
			attrs["recipient"] = to
			if !partner.IsEmpty() {
				attrs["peer_recipient_pn"] = partner
			}
		}
		content = append([]waBinary.Node(nil), content...)
		if garbled {
			content = garble(content)
		}
		if group != nil {
			content = append(content, *group)
		}
		if withheld != nil {
			content = []waBinary.Node{{Tag: "unavailable", Attrs: waBinary.Attrs{"type": *withheld}}}
		}
		s.deliver(d, waBinary.Node{Tag: "message", Attrs: attrs, Content: content})
	}
	for _, p := range children(n, "participants") {
		j, _ := p.Attrs["jid"].(types.JID)
		emit(j, p.GetChildren())
	}
	if group == nil {
		return
	}
	if to.Server != types.GroupServer { // a retry for one device
		direct := *group
		group = nil
		emit(to, []waBinary.Node{direct})
		return
	}
	s.mu.Lock()
	var members []types.JID
	if g := s.groups[to.User]; g != nil {
		for _, phone := range g.Members {
			for _, d := range s.users[phone].devices {
				members = append(members, d.lid)
			}
		}
	}
	s.mu.Unlock()
	for _, j := range members {
		emit(j, nil)
	}
}

// hostAll gives addresses the form of a hosted account.
func hostAll(attrs waBinary.Attrs, hosted bool) {
	for name, value := range attrs {
		j, ok := value.(types.JID)
		switch {
		case !hosted || !ok:
		case j.Server == types.HiddenUserServer:
			j.Server = types.HostedLIDServer
			attrs[name] = j
		case j.Server == types.DefaultUserServer:
			j.Server = types.HostedServer
			attrs[name] = j
		}
	}
}

// garble returns nodes with other ciphertexts.
func garble(nodes []waBinary.Node) []waBinary.Node {
	for i, n := range nodes {
		if b, ok := n.Content.([]byte); ok && n.Tag == "enc" {
			b = append([]byte(nil), b...)
			b[len(b)-1] ^= 0xff
			nodes[i].Content = b
		}
	}
	return nodes
}

// children returns the children of a node's descendant, or none if the descendant is missing. GetChildByTag would
// return the parent instead.
func children(n *waBinary.Node, tags ...string) []waBinary.Node {
	found, ok := n.GetOptionalChildByTag(tags...)
	if !ok {
		return nil
	}
	return found.GetChildren()
}
