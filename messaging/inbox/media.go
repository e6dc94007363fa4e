package inbox

import (
	"net/http"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/media"
)

// MediaOptions configure what the inbox keeps of attachments. Its zero value keeps those that come with their message, and
// fetches none.
type MediaOptions struct {
	URL         string       // the API's base address
	Public      *http.Client // for addresses that nobody has configured
	MaxSize     int64        // bytes of one attachment; 0: [DefaultMediaSize]
	AccountSize int64        // bytes of all that an account has; 0: [DefaultAccountSize]
}

// Defaults of [MediaOptions].
const (
	DefaultMediaSize   = 16 << 20
	DefaultAccountSize = 1 << 30
)

// MediaPending is why an attachment is missing that is still being fetched. The other reasons are the gateway's.
const MediaPending = "pending"

// MediaPath is the path of an attachment.
func MediaPath(mediaID string) string { return "/api/media/" + mediaID }

const (
	chunkSize  = 256 << 10
	mediaTries = 4
	mediaTime  = 5 * time.Minute  // of one fetch
	mediaStall = 15 * time.Second // until an answer, and from chunk to chunk: shorter than a claim
	mediaLease = 20 * time.Second // of a claim, from its last chunk
)

// mediaPause is how long to wait after a number of tries.
func mediaPause(tries int64) time.Duration {
	return [...]time.Duration{time.Second, 5 * time.Second, 20 * time.Second}[min(tries, mediaTries-1)-1]
}

// States of an attachment.
const (
	mediaPending = "pending"
	mediaStored  = "stored"
	mediaMissing = "missing"
)

// attachment is an attachment that is being stored.
type attachment struct {
	id, messageID, accountID, gateway string
	state, reason                     string
	source, event                     string // sealed
	size                              int64
	kind                              string
	shown                             bool
	chunks                            []string // sealed, of one that came with its message
}

// attachmentOf returns what is to be stored of a message's attachment, and takes it out of the message; nil: nothing.
func (b *Inbox) attachmentOf(r *received, key string) *attachment {
	in := r.in
	a := &attachment{id: id.Media + key, messageID: r.id, accountID: r.sender.AccountID, gateway: in.Gateway}
	switch {
	case in.MediaLost != "":
		a.state, a.reason = mediaMissing, in.MediaLost
	case int64(len(in.MediaData)) > b.o.Media.MaxSize:
		a.state, a.reason = mediaMissing, gateway.MediaTooLarge
	case len(in.MediaData) > 0:
		a.state, a.size = mediaStored, int64(len(in.MediaData))
		a.kind, a.shown = kindOf([]byte(in.MediaData[:min(chunkSize, len(in.MediaData))]), in.FileName, in.MIMEType)
		for n := 0; n*chunkSize < len(in.MediaData); n++ {
			a.chunks = append(a.chunks, b.media.Seal([]byte(in.MediaData[n*chunkSize:min((n+1)*chunkSize, len(in.MediaData))]), chunkName(a.id, n)))
		}
	case in.MediaURL != "" && b.opener(in.Gateway) != nil:
		a.state, a.source = mediaPending, b.media.Seal([]byte(in.MediaURL), a.id)
	default:
		return nil
	}
	in.MediaURL, in.MediaData = "", ""
	return a
}

// opener returns a gateway that keeps attachments, or nil.
func (b *Inbox) opener(name string) gateway.MediaOpener {
	if b.o.Gateway == nil {
		return nil
	}
	o, _ := b.o.Gateway(name).(gateway.MediaOpener)
	return o
}

// store stores an attachment in the transaction of its message, and returns the event to write with it, if there is one: that of
// a pending attachment waits until it is there.
func (b *Inbox) store(tx *db.Tx, a *attachment, event *events.Event) (*events.Event, error) {
	if a == nil {
		return event, nil
	}
	row := *a // the closure may run again
	if row.state == mediaStored {
		full, err := b.isFull(tx, row.accountID, row.size)
		if err != nil {
			return nil, err
		}
		if full {
			row.state, row.reason, row.size, row.kind, row.shown, row.chunks = mediaMissing, gateway.MediaAccountFull, 0, "", false, nil
		}
	}
	if row.state == mediaPending && event != nil {
		row.event = b.media.Seal([]byte(event.Body), row.id)
	}
	if err := insertMedia(tx, &row, db.Ms(b.o.Now())); err != nil {
		return nil, err
	}
	for n, sealed := range row.chunks {
		if err := insertChunk(tx, row.id, n, sealed); err != nil {
			return nil, err
		}
	}
	switch {
	case event == nil || row.state == mediaPending:
		return nil, nil //nolint:nilnil // no event is an answer
	case row.state == mediaStored:
		return event.WithMedia(b.o.Media.URL+MediaPath(row.id), row.kind, "", event.At), nil
	}
	return event.WithMedia("", "", row.reason, event.At), nil
}

// isFull reports whether an account may not store so many bytes more.
func (b *Inbox) isFull(tx *db.Tx, accountID string, size int64) (bool, error) {
	if err := lockState(tx, accountID); err != nil {
		return false, err
	}
	used, err := mediaSize(&tx.Query, accountID)
	return used+size > b.o.Media.AccountSize, err
}

// kindOf returns the type of an attachment by its first bytes, and whether a browser may show it in place: that only its bytes
// decide.
func kindOf(first []byte, name, declared string) (kind string, shown bool) {
	kind = media.KindOf(first, "", "")
	for _, safe := range []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"} {
		if kind == safe {
			return kind, true
		}
	}
	if strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "video/") || kind == "application/ogg" {
		return kind, true
	}
	return media.KindOf(first, name, declared), false
}

// IsImage reports whether an attachment that a browser may show is a picture.
func (m *Message) IsImage() bool { return m.MediaShown && strings.HasPrefix(m.MIMEType, "image/") }
