package httpsms

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/internal/clock"
)

// Limits for texts in several parts.
const (
	maxTexts     = 1000
	maxTextBytes = 4 << 20
	maxParts     = 255
	partsTimeout = time.Hour // after this time, the message consists of the received parts
)

// longText is a text in several parts. The lock of reassembly guards it.
type longText struct {
	since   time.Time
	parts   map[int]string
	ids     map[int]string // the gateway's id of each part, since references are reused
	storing bool           // the sink is storing it
	stored  bool           // kept to recognize repeated parts
}

// reassembly joins the parts of texts. A part is acknowledged only after the whole text is stored. Until then, the
// gateway must repeat it, so that no part is lost if the process ends.
type reassembly struct {
	now   clock.Now
	mu    sync.Mutex
	texts map[string]*longText
	bytes int
}

func newReassembly(now clock.Now) *reassembly {
	return &reassembly{now: now, texts: map[string]*longText{}}
}

// partOf returns the reference, number, and total of a call's part. n is 0 for a whole text.
func partOf(h *httpgate.WebhookSettings, c httpgate.Event) (ref string, n, total int) {
	ref = strings.TrimSpace(c.Field(h, "part_ref"))
	n, nErr := strconv.Atoi(strings.TrimSpace(c.Field(h, "part")))
	total, totalErr := strconv.Atoi(strings.TrimSpace(c.Field(h, "parts")))
	if ref == "" || nErr != nil || totalErr != nil || total < 2 || total > maxParts || n < 1 || n > total {
		return "", 0, 0
	}
	return ref, n, total
}

// process adds a part, and stores the text when it is complete or has timed out. in contains the ID and the text of
// the part. The error is [httpgate.ErrIncomplete] while parts are missing.
func (p *reassembly) process(ctx context.Context, sink gateway.Sink, in gateway.Inbound, ref string, n, total int) error {
	key := gateway.DeriveID(ref, in.Address(), in.To, strconv.Itoa(total))
	t := p.add(key, in.ID, in.Text, n, total)
	switch {
	case t == nil:
		return httpgate.ErrIncomplete
	case t.stored:
		return nil
	}
	in.ID, in.Text = t.joined(key, total)
	err := sink.Inbound(ctx, in)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.storing = false; err == nil {
		p.markStored(t)
	}
	return err
}

// add adds a part. It returns the text if it is stored, or if it must be stored now. In the second case, it sets storing.
func (p *reassembly) add(key, id, text string, n, total int) *longText {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.texts[key]
	if t != nil && t.stored && t.ids[n] != id {
		delete(p.texts, key) // the reference is reused
		t = nil
	}
	switch {
	case t == nil && !p.makeRoom():
		return nil
	case t == nil:
		t = &longText{since: p.now(), parts: map[int]string{}, ids: map[int]string{}}
		p.texts[key] = t
	case t.stored:
		return t
	case t.storing:
		return nil
	}
	switch known := t.ids[n]; {
	case known == "" && p.bytes+len(text) <= maxTextBytes:
		t.parts[n], t.ids[n] = text, id
		p.bytes += len(text)
	case known != id:
		return nil // this part belongs to the next text, which must wait
	}
	if len(t.parts) < total && p.now().Sub(t.since) < partsTimeout {
		return nil
	}
	t.storing = true
	return t
}

// makeRoom reports whether another text fits. It drops texts that are stored or have timed out.
func (p *reassembly) makeRoom() bool {
	if len(p.texts) >= maxTexts || p.bytes >= maxTextBytes {
		for id, t := range p.texts {
			if t.stored || !t.storing && p.now().Sub(t.since) >= partsTimeout {
				p.markStored(t)
				delete(p.texts, id)
			}
		}
	}
	return len(p.texts) < maxTexts && p.bytes < maxTextBytes
}

// markStored marks a text as stored and frees its parts.
func (p *reassembly) markStored(t *longText) {
	for _, part := range t.parts {
		p.bytes -= len(part)
	}
	t.parts, t.stored = nil, true
}

// joined returns the received parts, in order, and an ID derived from their IDs, which is the same after a restart and on other nodes.
func (t *longText) joined(key string, total int) (id, text string) {
	ids, all := []string{key}, strings.Builder{}
	for n := 1; n <= total; n++ {
		ids = append(ids, t.ids[n])
		all.WriteString(t.parts[n])
	}
	return gateway.DeriveID(ids...), all.String()
}
