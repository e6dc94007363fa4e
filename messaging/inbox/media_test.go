package inbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
)

// keeper is a gateway that stores attachments.
type keeper struct {
	messagingtest.Gateway
	open func(ctx context.Context, n int, address string) (io.ReadCloser, error)

	mu sync.Mutex
	n  int
}

func (k *keeper) OpenMedia(ctx context.Context, address string, _ *http.Client) (io.ReadCloser, error) {
	k.mu.Lock()
	k.n++
	n := k.n
	k.mu.Unlock()
	return k.open(ctx, n, address)
}

func (k *keeper) calls() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.n
}

// gives returns a gateway that always returns the same bytes.
func gives(data []byte) *keeper {
	return &keeper{open: func(context.Context, int, string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// picture returns data of a size that starts like a PNG.
func picture(size int) []byte {
	data := bytes.Repeat([]byte("pixels, "), size/8+1)[:size]
	copy(data, "\x89PNG\x0d\x0a\x1a\x0a")
	return data
}

// mediaWorld returns a world whose inbox fetches from a gateway, like another process.
func mediaWorld(t *testing.T, d *db.DB, k gateway.Sender, change func(*inbox.MediaOptions)) *messagingtest.World {
	t.Helper()
	w := messagingtest.New(t, d, "business")
	w.SetWebhook(t, "https://example.com/hook")
	w.Inbox = node(w, k, change)
	return w
}

func node(w *messagingtest.World, k gateway.Sender, change func(*inbox.MediaOptions)) *inbox.Inbox {
	o := inbox.MediaOptions{URL: "https://api.example.com"}
	if change != nil {
		change(&o)
	}
	return w.NewInbox(func(i *inbox.Options) { i.Gateway, i.Media = func(string) gateway.Sender { return k }, o })
}

func receive(t *testing.T, w *messagingtest.World, id string, in gateway.Inbound) {
	t.Helper()
	in.ID, in.Gateway, in.Channel, in.From, in.To, in.At, in.Type = id, "fake", gateway.WhatsApp, awa, messagingtest.WhatsApp, w.Clock.Now(), gateway.InboundImage
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func fetch(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if err := w.Inbox.FetchMedia(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// newest returns the latest message.
func newest(t *testing.T, w *messagingtest.World) inbox.Message {
	t.Helper()
	return messages(t, w, conversationWith(t, w, awa).ID)[0]
}

// received returns the bodies of the events for inbound messages.
func received(t *testing.T, w *messagingtest.World) string {
	t.Helper()
	var body string
	if _, err := w.DB.Read(t.Context()).Row(`SELECT COALESCE(max(body), '') FROM webhook_events WHERE type = 'message.received'`).Scan(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

func bytesOf(t *testing.T, w *messagingtest.World, id string) []byte {
	t.Helper()
	m, err := w.Inbox.Media(t.Context(), w.LiveCaller, id)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestMedia_IsFetchedOnceAndKeptSealed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		data := picture(700_000) // several chunks
		k := gives(data)
		w := mediaWorld(t, d, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1003", MIMEType: "image/jpeg", FileName: "chat.png"})
		if m := newest(t, w); m.MediaMissing != inbox.MediaPending || m.MediaID != "" || m.MediaURL != "" {
			t.Errorf("before the fetch: %+v", m)
		}
		if got := received(t, w); got != "" {
			t.Errorf("an event before the fetch: %s", got)
		}
		before := state(t, w)
		fetch(t, w)
		m := newest(t, w)
		if m.MediaMissing != "" || m.MIMEType != "image/png" || !m.IsImage() || state(t, w).Revision == before.Revision {
			t.Errorf("after the fetch: %+v", m)
		}
		if got := bytesOf(t, w, m.MediaID); !bytes.Equal(got, data) {
			t.Errorf("%d bytes come back, want %d", len(got), len(data))
		}
		if got, want := received(t, w), `"mediaUrl":"https://api.example.com/api/media/`+m.MediaID+`","mimeType":"image/png","fileName":"chat.png"`; !strings.Contains(got, want) {
			t.Errorf("event %s, want %s", got, want)
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_media_chunks WHERE sealed LIKE '%pixels, pixels%' OR sealed LIKE '%cGl4ZWxzLCBwaXhlbHMs%'`); n != 0 {
			t.Errorf("%d chunks are not sealed", n)
		}
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1003"})
		fetch(t, w)
		if k.calls() != 1 {
			t.Errorf("fetched %d times, want once", k.calls())
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
		other := messagingtest.New(t, d, "pro", func(s *account.Spec) { s.Senders = nil })
		for name, id := range map[string]string{"another's": m.MediaID, "absent": "med_0", "a message's": m.ID} {
			if _, err := w.Inbox.Media(t.Context(), other.LiveCaller, id); !isFault(err, apierror.NotFound) {
				t.Errorf("%s: %v, want not_found", name, err)
			}
		}
	})
}

func TestMedia_ComesWithItsMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		data := append([]byte("<html><script>alert(1)</script>"), make([]byte, 400_000)...)
		w := mediaWorld(t, d, nil, nil)
		receive(t, w, "wamid.1", gateway.Inbound{MediaData: string(data), MIMEType: "image/png", FileName: "a.png"})
		m := newest(t, w)
		if m.MediaShown || m.IsImage() || !bytes.Equal(bytesOf(t, w, m.MediaID), data) {
			t.Errorf("a page that says it is a picture: %+v", m)
		}
		if got := received(t, w); !strings.Contains(got, m.MediaID) {
			t.Errorf("event %s, want %s in it", got, m.MediaID)
		}
	})
}

func TestMedia_Missing(t *testing.T) {
	temporary := func(context.Context, int, string) (io.ReadCloser, error) {
		return nil, &gateway.Error{Class: gateway.Temporary, Code: "media_unavailable"}
	}
	permanent := func(context.Context, int, string) (io.ReadCloser, error) {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "media_unavailable"}
	}
	for name, tc := range map[string]struct {
		k     *keeper
		in    gateway.Inbound
		want  string
		calls int
	}{
		"too large":                {gives(picture(300_001)), gateway.Inbound{MediaURL: "1"}, gateway.MediaTooLarge, 1},
		"too large in the event":   {gives(nil), gateway.Inbound{MediaData: string(picture(300_001))}, gateway.MediaTooLarge, 0},
		"as large as may be":       {gives(picture(300_000)), gateway.Inbound{MediaURL: "1"}, "", 1},
		"gone":                     {&keeper{open: permanent}, gateway.Inbound{MediaURL: "1"}, gateway.MediaUnavailable, 1},
		"never there":              {&keeper{open: temporary}, gateway.Inbound{MediaURL: "1"}, gateway.MediaUnavailable, 4},
		"empty":                    {gives(nil), gateway.Inbound{MediaURL: "1"}, gateway.MediaUnavailable, 4},
		"missing at the gateway":   {gives(nil), gateway.Inbound{MediaLost: gateway.MediaTooLarge}, gateway.MediaTooLarge, 0},
		"a full account":           {gives(picture(300_000)), gateway.Inbound{MediaURL: "2"}, gateway.MediaAccountFull, 2},
		"a full account, in event": {gives(picture(300_000)), gateway.Inbound{MediaData: string(picture(300_000))}, gateway.MediaAccountFull, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				k := &keeper{open: tc.k.open}
				w := mediaWorld(t, d, k, func(o *inbox.MediaOptions) { o.MaxSize, o.AccountSize = 300_000, 500_000 })
				if tc.want == gateway.MediaAccountFull {
					receive(t, w, "wamid.0", gateway.Inbound{MediaURL: "1"})
					fetch(t, w)
					w.Clock.Advance(time.Second)
				}
				receive(t, w, "wamid.1", tc.in)
				for range 6 {
					fetch(t, w)
					w.Clock.Advance(time.Minute)
				}
				m := newest(t, w)
				if m.MediaMissing != tc.want || (m.MediaID == "") != (tc.want != "") || k.calls() != tc.calls {
					t.Errorf("missing %q after %d fetches, want %q after %d", m.MediaMissing, k.calls(), tc.want, tc.calls)
				}
				if n := w.Int(t, `SELECT count(*) FROM inbox_media_chunks c JOIN inbox_media a ON a.id = c.media_id WHERE a.state <> 'stored'`); n != 0 {
					t.Errorf("%d chunks of it stay", n)
				}
				if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE $1`, `%"mediaMissing":"`+tc.want+`"%`); tc.want != "" && n != 1 {
					t.Errorf("%d events say so, want 1", n)
				}
			})
		})
	}
}

// One of several nodes fetches. A node that was away longer than its claim does not overwrite another's data.
func TestMedia_OneNodeFetches(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		slow, resume := make(chan struct{}), make(chan struct{})
		k := &keeper{open: func(_ context.Context, n int, _ string) (io.ReadCloser, error) {
			if n > 1 {
				return io.NopCloser(bytes.NewReader(picture(300_000))), nil
			}
			close(slow)
			<-resume
			return io.NopCloser(strings.NewReader("what the first node got")), nil
		}}
		w := mediaWorld(t, d, k, nil)
		second := node(w, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1"})
		ended := make(chan error, 1)
		go func() { ended <- w.Inbox.FetchMedia(context.WithoutCancel(t.Context())) }()
		<-slow
		if err := second.FetchMedia(t.Context()); err != nil || k.calls() != 1 {
			t.Errorf("%d fetches, %v: want one while the claim holds", k.calls(), err)
		}
		w.Clock.Advance(5 * time.Minute) // the time for which a crashed node is away
		if err := second.FetchMedia(t.Context()); err != nil {
			t.Error(err)
		}
		close(resume)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		m := newest(t, w)
		if got := bytesOf(t, w, m.MediaID); !bytes.Equal(got, picture(300_000)) {
			t.Errorf("%d bytes, want the second node's", len(got))
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`); n != 1 {
			t.Errorf("%d events, want 1", n)
		}
	})
}

// A process that is stopped during a fetch releases the attachment, and this does not count as a try.
func TestMedia_StoppedInTheMiddle(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, stop := context.WithCancel(t.Context())
		k := &keeper{open: func(ctx context.Context, n int, _ string) (io.ReadCloser, error) {
			if n > 1 {
				return io.NopCloser(bytes.NewReader(picture(10))), nil
			}
			stop()
			<-ctx.Done()
			return nil, &gateway.Error{Class: gateway.Temporary, Code: "media_unavailable"}
		}}
		w := mediaWorld(t, d, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1"})
		if err := w.Inbox.FetchMedia(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := w.Int(t, `SELECT tries FROM inbox_media`); n != 0 {
			t.Errorf("%d tries, want none", n)
		}
		fetch(t, w)
		if m := newest(t, w); m.MediaID == "" {
			t.Errorf("not fetched: %+v", m)
		}
	})
}

// Data that was encrypted with another master key ends as missing, and is not tried forever.
func TestMedia_SealedByAnotherKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		k := gives(picture(10))
		w := mediaWorld(t, d, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1"})
		w.Exec(t, `UPDATE inbox_media SET source = 'x', event = 'x'`)
		fetch(t, w)
		if m := newest(t, w); m.MediaMissing != gateway.MediaUnavailable || k.calls() != 0 {
			t.Errorf("missing %q after %d fetches, want unavailable after none", m.MediaMissing, k.calls())
		}
	})
}

// An attachment whose gateway limits the fetches waits without using up its tries. The event goes first, once, and again with
// the attachment.
func TestMedia_WaitsForALimit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		limited := true
		k := &keeper{open: func(context.Context, int, string) (io.ReadCloser, error) {
			if limited {
				return nil, &gateway.Error{Class: gateway.RateLimited, Code: "media_rate_limited", RetryAfter: time.Hour}
			}
			return io.NopCloser(bytes.NewReader(picture(10))), nil
		}}
		w := mediaWorld(t, d, k, nil)
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1"})
		eventsSent := func(want int) {
			t.Helper()
			if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`); n != want {
				t.Errorf("%d events, want %d", n, want)
			}
		}
		for range 6 {
			fetch(t, w)
			fetch(t, w)
			w.Clock.Advance(time.Hour)
		}
		if m := newest(t, w); k.calls() != 6 || m.MediaMissing != inbox.MediaPending {
			t.Errorf("%d fetches in six hours, and the attachment is missing as %q, want 6, and pending", k.calls(), m.MediaMissing)
		}
		eventsSent(1)
		if got := received(t, w); !strings.Contains(got, `"mediaMissing":"pending"`) {
			t.Errorf("the early event is %s", got)
		}
		limited = false
		fetch(t, w)
		if m := newest(t, w); m.MediaMissing != "" || m.MediaID == "" {
			t.Errorf("after the limit: %+v, want the attachment", m)
		}
		eventsSent(2)
		limited = true
		receive(t, w, "wamid.2", gateway.Inbound{MediaURL: "2"})
		for range 30 {
			fetch(t, w)
			w.Clock.Advance(time.Hour)
		}
		if m := newest(t, w); m.MediaMissing != gateway.MediaUnavailable {
			t.Errorf("after a day, the attachment is missing as %q, want unavailable", m.MediaMissing)
		}
		eventsSent(4)
	})
}

func TestRunMedia_FetchesWhatComes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := mediaWorld(t, d, gives(picture(10)), nil)
		stop := waittest.Run(t, w.Inbox.RunMedia)
		receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1"})
		w.WaitForInt(t, 1, `SELECT count(*) FROM inbox_media WHERE state = 'stored'`)
		stop()
	})
}

func TestMedia_GoesWithItsMessage(t *testing.T) {
	for name, remove := range map[string]func(t *testing.T, w *messagingtest.World){
		"age": func(t *testing.T, w *messagingtest.World) {
			w.Clock.Advance(inbox.Retention + time.Millisecond)
			purge(t, w)
		},
		"a hidden inbox": func(t *testing.T, w *messagingtest.World) {
			setPlan(t, w, "starter")
			purgeHidden(t, w)
			w.Clock.Advance(inbox.HiddenTime - time.Hour)
			w.Clock.Advance(time.Hour)
			purgeHidden(t, w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := mediaWorld(t, d, gives(picture(600_000)), nil)
				receive(t, w, "wamid.1", gateway.Inbound{MediaURL: "1"})
				fetch(t, w)
				id := newest(t, w).MediaID
				receive(t, w, "wamid.2", gateway.Inbound{MediaURL: "2"}) // is not fetched any more
				remove(t, w)
				if _, err := w.Inbox.Media(t.Context(), w.LiveCaller, id); !isFault(err, apierror.NotFound) {
					t.Errorf("got %v, want not_found", err)
				}
				fetch(t, w)
				if err := inbox.SweepMedia(t.Context(), w.DB); err != nil {
					t.Fatal(err)
				}
				for _, table := range []string{"inbox_media", "inbox_media_chunks"} {
					if n := w.Int(t, `SELECT count(*) FROM `+table); n != 0 {
						t.Errorf("%d rows of %s stay", n, table)
					}
				}
				if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`); n != 1 {
					t.Errorf("%d events, want none of the message that is gone", n)
				}
			})
		})
	}
}
