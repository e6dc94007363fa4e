package inbox

import (
	"net/http"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/media"
	"example.com/griot/messaging/webhooks"
)

// MediaOptions configure the storage of attachments. With the zero value, the inbox stores attachments that arrive
// with their message, and fetches none.
type MediaOptions struct {
	URL         string       // the API's base URL
	Public      *http.Client // for addresses that are not configured
	MaxSize     int64        // maximum size of one attachment, in bytes; 0: [DefaultMediaSize]
	AccountSize int64        // maximum size of all attachments of an account, in bytes; 0: [DefaultAccountSize]
}

// Defaults of [MediaOptions].
const (
	DefaultMediaSize   = 16 << 20
	DefaultAccountSize = 1 << 30
)

// MediaPending is the reason for an attachment that is still being fetched. All other reasons come from the gateway.
const MediaPending = "pending"

// MediaPath returns the path of an attachment.
func MediaPath(mediaID string) string { return "/api/media/" + mediaID }

const (
	chunkSize  = 256 << 10
	mediaTries = 4
	mediaTime  = 5 * time.Minute  // time limit of one fetch
	mediaStall = 15 * time.Second // time limit for a response and for each chunk; shorter than a claim
	mediaLease = 20 * time.Second // lifetime of a claim, from its last chunk

	mediaPostponed = 24 * time.Hour // from the message: the time for which a gateway's limits don't count as tries
)

// mediaPause returns the pause after a number of tries.
func mediaPause(tries int64) time.Duration {
	return [...]time.Duration{time.Second, 5 * time.Second, 20 * time.Second}[min(tries, mediaTries-1)-1]
}

// States of an attachment.
const (
	mediaPending = "pending"
	mediaStored  = "stored"
	mediaMissing = "missing"
)

// An attachment is an attachment that is being stored.
type attachment struct {
	id, messageID, accountID, gateway string
	state, reason                     string
	source, event                     string // encrypted
	size                              int64
	kind                              string
	shown                             bool
	chunks                            []string // encrypted; only if the attachment arrived with its message
}

// attachmentOf returns the data to store of a message's attachment and removes it from the message. It returns nil if
// there is nothing to store.
func (b *Inbox) attachmentOf(r *received, key string) *attachment {
	in := r.in
	if in.Type == gateway.InboundUnavailable { // the attachment comes with the content
		in.MediaURL, in.MediaData, in.MediaLost = "", "", ""
		return nil
	}
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

// opener returns a gateway that stores attachments, or nil.
func (b *Inbox) opener(name string) gateway.MediaOpener {
	if b.o.Gateway == nil {
		return nil
	}
	o, _ := b.o.Gateway(name).(gateway.MediaOpener)
	return o
}

// store stores an attachment in the transaction of its message, and returns the event to write with it, if there is
// one. The event of a pending attachment waits until the attachment is stored.
func (b *Inbox) store(tx *db.Tx, a *attachment, event *webhooks.Event) (*webhooks.Event, error) {
	if a == nil {
		return event, nil
	}
	row := *a // the closure might run again
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
		return nil, nil //nolint:nilnil // a missing event is not an error
	case row.state == mediaStored:
		return event.WithMedia(b.o.Media.URL+MediaPath(row.id), row.kind, "", event.At), nil
	}
	return event.WithMedia("", "", row.reason, event.At), nil
}

// isFull reports whether storing size more bytes would exceed the account's limit.
func (b *Inbox) isFull(tx *db.Tx, accountID string, size int64) (bool, error) {
	if err := lockState(tx, accountID); err != nil {
		return false, err
	}
	used, err := mediaSize(&tx.Query, accountID)
	return used+size > b.o.Media.AccountSize, err
}

// kindOf returns the type of an attachment, and whether a browser can show it inline, which depends only on its first bytes.
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

// IsImage reports whether an attachment is a picture that a browser can show.
func (m *Message) IsImage() bool { return m.MediaShown && strings.HasPrefix(m.MIMEType, "image/") }
