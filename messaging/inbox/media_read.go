package inbox

import (
	"context"
	"errors"
	"io"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
)

// A Media is a stored attachment. It is read like a file, chunk by chunk, by one caller.
type Media struct {
	FileName string // the name from the person's phone; can be empty
	MIMEType string
	Size     int64
	Shown    bool // a browser can show it inline, because its bytes are a picture, audio, or video

	id     string
	at     int64
	b      *Inbox
	ctx    context.Context //nolint:containedctx // for the only reader
	offset int64
	chunk  []byte // the chunk with the number n
	n      int
}

// Media returns an attachment of a message that a person wrote to an account. It returns [apierror.NotFound] if the
// attachment belongs to another account, is erased or missing, or is not stored yet.
func (b *Inbox) Media(ctx context.Context, c *account.Caller, mediaID string) (*Media, error) {
	return b.openMedia(ctx, c, byMedia, mediaID)
}

// MediaOf is like [Inbox.Media], for the attachment of a message. It returns the same error if the message has none.
func (b *Inbox) MediaOf(ctx context.Context, c *account.Caller, messageID string) (*Media, error) {
	return b.openMedia(ctx, c, byMessage, messageID)
}

func (b *Inbox) openMedia(ctx context.Context, c *account.Caller, column, value string) (*Media, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	m, err := findMedia(b.o.DB.Read(ctx), c.Account.ID, column, value)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, apierror.NotFound.Err()
	}
	m.b, m.ctx, m.n = b, ctx, -1
	return m, nil
}

// Path returns the path of the attachment in the API.
func (m *Media) Path() string { return MediaPath(m.id) }

// At returns the time at which the message was written.
func (m *Media) At() time.Time { return db.At(m.at) }

var errOffset = errors.New("inbox: a negative offset")

// Seek implements [io.Seeker].
func (m *Media) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += m.offset
	case io.SeekEnd:
		offset += m.Size
	}
	if offset < 0 {
		return 0, errOffset
	}
	m.offset = offset
	return offset, nil
}

// Read implements [io.Reader].
func (m *Media) Read(p []byte) (int, error) {
	if m.offset >= m.Size {
		return 0, io.EOF
	}
	if n := int(m.offset / chunkSize); n != m.n {
		sealed, err := findChunk(m.b.o.DB.Read(m.ctx), m.id, n)
		if err != nil {
			return 0, err
		}
		if m.chunk, err = m.b.media.Open(sealed, chunkName(m.id, n)); err != nil {
			return 0, err
		}
		m.n = n
	}
	from := int(m.offset % chunkSize)
	if from >= len(m.chunk) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, m.chunk[from:])
	m.offset += int64(n)
	return n, nil
}
