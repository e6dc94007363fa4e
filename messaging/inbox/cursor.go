package inbox

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"example.com/griot/internal/db"
)

// A position is the end of a page of a list: the time and the ID of its last entry.
type position struct {
	at int64 // in Unix milliseconds
	id string
}

// newest returns the position before the first entry of a list, newest first.
func newest() position { return position{at: 1 << 62} }

func positionOf(at time.Time, id string) position { return position{db.Ms(at), id} }

const (
	cursorVersion = 1
	cursorHead    = 1 + 8 // version and time
	cursorMAC     = 12
	maxCursor     = 256 // in characters
)

// writeCursor returns the cursor for a position in a list. It is signed together with the list's account, kind, and
// filter, so that it is valid only for this list.
func (b *Inbox) writeCursor(p position, list ...string) string {
	raw := binary.BigEndian.AppendUint64([]byte{cursorVersion}, uint64(p.at))
	raw = append(raw, p.id...)
	raw = append(raw, b.signCursor(raw, list)...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// readCursor parses a cursor of a list. ok is false for anything else.
func (b *Inbox) readCursor(cursor string, list ...string) (p position, ok bool) {
	if len(cursor) > maxCursor {
		return p, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= cursorHead+cursorMAC || raw[0] != cursorVersion {
		return p, false
	}
	body, mac := raw[:len(raw)-cursorMAC], raw[len(raw)-cursorMAC:]
	signed := b.cursors.Made(string(mac), func(mac []byte) string { return string(mac[:cursorMAC]) }, append([]string{string(body)}, list...)...)
	if !signed {
		return p, false
	}
	p = position{int64(binary.BigEndian.Uint64(body[1:cursorHead])), string(body[cursorHead:])}
	return p, base64.RawURLEncoding.EncodeToString(raw) == cursor // only the canonical encoding is accepted
}

func (b *Inbox) signCursor(body []byte, list []string) []byte {
	return b.cursors.MAC(append([]string{string(body)}, list...)...)[:cursorMAC]
}
