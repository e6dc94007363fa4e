package httpsms

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"griot/gateway"
	"griot/gateway/internal/httpgate"
	"griot/internal/clock"
)

// Bounds of what is kept of texts that come in parts.
const (
	mostTexts     = 1000
	mostTextBytes = 4 << 20
	mostParts     = 255
	partsComeBy   = time.Hour // after that, what is there is the message
)

// longText is a text that comes in parts. Its lock is that of its parts.
type longText struct {
	since time.Time
	parts map[int]string
	ids   map[int]string // the gateway's of each part: a reference comes back with another text some day
	busy  bool           // the sink is looking at it
	done  bool           // the sink has it; it stays for parts that are brought again
}

// parts puts texts together. A call is answered as stored only when the whole text is; until then the gateway is asked
// to bring the part again, so that no part is lost with the process.
type parts struct {
	now   clock.Now
	mu    sync.Mutex
	texts map[string]*longText
	bytes int
}

func newParts(now clock.Now) *parts { return &parts{now: now, texts: map[string]*longText{}} }

// partOf reads which part of how many a call brings; n is 0 for a whole text.
func partOf(h *httpgate.WebhookSettings, c httpgate.Event) (ref string, n, total int) {
	ref = strings.TrimSpace(c.Field(h, "part_ref"))
	n, nErr := strconv.Atoi(strings.TrimSpace(c.Field(h, "part")))
	total, totalErr := strconv.Atoi(strings.TrimSpace(c.Field(h, "parts")))
	if ref == "" || nErr != nil || totalErr != nil || total < 2 || total > mostParts || n < 1 || n > total {
		return "", 0, 0
	}
	return ref, n, total
}

// take keeps a part and gives the text to the sink when it is complete, or when its other parts have had their time. in has
// the part's id, and its text.
// Its error is [httpgate.ErrIncomplete] while parts are missing.
func (p *parts) take(ctx context.Context, sink gateway.Sink, in gateway.Inbound, ref string, n, total int) error {
	key := digest(ref, in.From, in.To, strconv.Itoa(total))
	t := p.add(key, in.ID, in.Text, n, total)
	switch {
	case t == nil:
		return httpgate.ErrIncomplete
	case t.done:
		return nil
	}
	in.ID, in.Text = t.whole(key, total)
	err := sink.Inbound(ctx, in)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.busy = false; err == nil {
		p.settle(t)
	}
	return err
}

// add keeps a part. It returns the text once it is done, or due: then it is busy, until the sink has answered.
func (p *parts) add(key, id, text string, n, total int) *longText {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.texts[key]
	if t != nil && t.done && t.ids[n] != id {
		delete(p.texts, key) // it was another text
		t = nil
	}
	switch {
	case t == nil && !p.room():
		return nil
	case t == nil:
		t = &longText{since: p.now(), parts: map[int]string{}, ids: map[int]string{}}
		p.texts[key] = t
	case t.done:
		return t
	case t.busy:
		return nil
	}
	switch known := t.ids[n]; {
	case known == "" && p.bytes+len(text) <= mostTextBytes:
		t.parts[n], t.ids[n] = text, id
		p.bytes += len(text)
	case known != id:
		return nil // of the next text: its turn comes
	}
	if len(t.parts) < total && p.now().Sub(t.since) < partsComeBy {
		return nil
	}
	t.busy = true
	return t
}

// room makes sure that one more text fits. What is done gives way, and what has waited for too long.
func (p *parts) room() bool {
	if len(p.texts) >= mostTexts || p.bytes >= mostTextBytes {
		for id, t := range p.texts {
			if t.done || !t.busy && p.now().Sub(t.since) >= partsComeBy {
				p.settle(t)
				delete(p.texts, id)
			}
		}
	}
	return len(p.texts) < mostTexts && p.bytes < mostTextBytes
}

// settle lets go of what a text holds.
func (p *parts) settle(t *longText) {
	for _, part := range t.parts {
		p.bytes -= len(part)
	}
	t.parts, t.done = nil, true
}

// whole returns the parts that have come, in order, and an id made of theirs: the same after a restart and on another node.
// The text is busy.
func (t *longText) whole(key string, total int) (id, text string) {
	ids, all := []string{key}, strings.Builder{}
	for n := 1; n <= total; n++ {
		ids = append(ids, t.ids[n])
		all.WriteString(t.parts[n])
	}
	return digest(ids...), all.String()
}
