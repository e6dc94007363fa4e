package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
)

// Time limits for fetching an attachment.
const (
	mediaWait = 10 * time.Second // for a number that is connecting; Griot gives up after 15 seconds without a response
	mediaLook = 100 * time.Millisecond
	mediaTime = 5 * time.Minute
)

// attach stores the location of a message's attachment and sets the path in the event from which Griot can fetch it.
func (n *number) attach(ctx context.Context, event *protocol.Inbound, m device.Inbound, eventID string) error {
	if m.Attachment == nil && m.Missing == "" {
		return nil
	}
	event.Media = &protocol.InboundMedia{Missing: m.Missing, MIMEType: m.MIMEType, FileName: m.FileName}
	if m.Attachment == nil {
		return nil
	}
	source, err := m.Attachment.Bytes()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(eventID)) // the same if WhatsApp sends the message again
	id := hex.EncodeToString(sum[:16])
	kept, err := n.g.config.Store.SaveMedia(ctx, id, n.name, eventID, source)
	switch {
	case err != nil:
		return err
	case !kept:
		n.g.config.Log.Warn("too many attachments are kept: one is left out", "number", n.name)
		event.Media.Missing = device.Unavailable
	default:
		event.Media.URL = "/media/" + id
	}
	return nil
}

// media responds with an attachment, streamed from WhatsApp. If the attachment is not what the person sent, it aborts the response.
func (g *Gateway) media(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), mediaTime)
	defer cancel()
	body, f := g.openMedia(ctx, r.PathValue("id"))
	if f != nil {
		if f.Class == device.Permanent {
			answer(w, http.StatusGone, protocol.Refusal{Error: protocol.Failure(*f)})
			return
		}
		refuse(w, f)
		return
	}
	defer func() { _ = body.Close() }()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "sandbox")
	w.Header().Set("Cache-Control", "no-store")
	if _, err := io.Copy(w, io.LimitReader(body, device.MaxAttachment+1)); err != nil {
		panic(http.ErrAbortHandler) // so that Griot does not accept it as complete
	}
}

func (g *Gateway) openMedia(ctx context.Context, id string) (io.ReadCloser, *device.Failure) {
	name, source, err := g.config.Store.Media(ctx, id)
	if err != nil {
		return nil, &device.Failure{Class: device.Temporary, Code: "store_failed"}
	}
	if name == "" {
		return nil, &device.Failure{Class: device.Permanent, Code: "media_gone"}
	}
	attachment, err := device.ReadAttachment(source)
	if err != nil {
		return nil, &device.Failure{Class: device.Permanent, Code: "media_gone"}
	}
	n, f := g.connected(ctx, name)
	if f != nil {
		return nil, f
	}
	return n.device.Fetch(ctx, attachment)
}

// connected returns a number that is ready to use. It waits for a number that is connecting, or that waits for the
// lease of a crashed process.
func (g *Gateway) connected(ctx context.Context, name string) (*number, *device.Failure) {
	tick := time.NewTicker(mediaLook)
	defer tick.Stop()
	for until := time.Now().Add(mediaWait); ; {
		n, f := g.held(name)
		if f == nil {
			f = n.device.Down()
		}
		if f == nil || f.Class != device.Temporary || time.Now().After(until) {
			return n, f
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, f
		}
	}
}
