package device

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"io"
	"net/http"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/socket"
)

// mmsTypes are the names of the kinds of attachments in WhatsApp's URLs.
var mmsTypes = map[string]string{
	string(whatsmeow.MediaImage): "image", string(whatsmeow.MediaVideo): "video", string(whatsmeow.MediaAudio): "audio", string(whatsmeow.MediaDocument): "document",
}

// lookupWait is the maximum time to wait for WhatsApp's list of media servers.
const lookupWait = 10 * time.Second

// Fetch opens an attachment at WhatsApp. It decrypts the attachment as a stream, so that it never holds a whole one
// in memory. If the attachment is not what the person sent, the last read fails.
func (d *Device) Fetch(ctx context.Context, a *Attachment) (io.ReadCloser, *Failure) {
	if !a.valid() {
		return nil, &Failure{Class: Permanent, Code: "media_gone"}
	}
	limited, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	servers, err := d.client.DangerousInternals().RefreshMediaConn(limited, false) //nolint:staticcheck // whatsmeow's own downloads hold a whole file in memory
	if err != nil {
		return nil, &Failure{Class: Temporary, Code: "lookup_failed"}
	}
	f := &Failure{Class: Temporary, Code: "lookup_failed"}
	for _, host := range servers.Hosts {
		var body io.ReadCloser
		if body, f = d.download(ctx, host.Hostname, a); f == nil {
			return body, nil
		}
		if f.Class == Permanent {
			return nil, f
		}
	}
	return nil, f
}

func (d *Device) download(ctx context.Context, host string, a *Attachment) (io.ReadCloser, *Failure) {
	failed := &Failure{Class: Temporary, Code: "provider_failed"}
	address := "https://" + host + a.Path + "&hash=" + base64.URLEncoding.EncodeToString(a.EncHash) + "&mms-type=" + mmsTypes[a.Kind] + "&__wa-mms="
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &Failure{Class: Permanent, Code: "media_gone"}
	}
	r.Header.Set("Origin", socket.Origin)
	r.Header.Set("Referer", socket.Origin+"/")
	answer, err := d.media.Do(r)
	if err != nil {
		return nil, failed
	}
	switch answer.StatusCode {
	case http.StatusOK:
		if opened, err := newOpened(answer.Body, a); err == nil {
			return opened, nil
		}
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		failed = &Failure{Class: Permanent, Code: "media_gone"}
	}
	_ = answer.Body.Close()
	return nil, failed
}

// mediaClient returns the client that fetches attachments. It follows no redirects, because WhatsApp reports the final addresses.
func mediaClient(h *http.Client) *http.Client {
	c := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 10 * time.Second, IdleConnTimeout: time.Minute}}
	if h != nil {
		c.Transport = h.Transport
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// errAltered reports that the data from WhatsApp is not what the person sent.
var errAltered = errors.New("the attachment is not what was sent")

// macSize is the number of bytes of the HMAC that follow the encrypted data.
const macSize = 10

// opened decrypts an attachment while it is read: AES-256-CBC data, followed by an HMAC. It withholds the last bytes
// until it has verified the HMAC, so that a reader never gets a complete attachment that is invalid.
type opened struct {
	body           io.ReadCloser
	cbc            cipher.BlockMode
	mac            hash.Hash
	encrypted      hash.Hash
	plain          hash.Hash
	want           *Attachment
	pending, ready []byte
	err            error
	buffer         [32 << 10]byte
}

func newOpened(body io.ReadCloser, a *Attachment) (*opened, error) {
	keys, err := hkdf.Key(sha256.New, a.Key, nil, a.Kind, 112)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(keys[16:48])
	if err != nil {
		return nil, err
	}
	o := &opened{body: body, cbc: cipher.NewCBCDecrypter(block, keys[:16]), mac: hmac.New(sha256.New, keys[48:80]), encrypted: sha256.New(), plain: sha256.New(), want: a}
	o.mac.Write(keys[:16])
	return o, nil
}

// Read implements [io.Reader].
func (o *opened) Read(p []byte) (int, error) {
	for len(o.ready) == 0 && o.err == nil {
		n, err := o.body.Read(o.buffer[:])
		o.encrypted.Write(o.buffer[:n])
		o.pending = append(o.pending, o.buffer[:n]...)
		if whole := (len(o.pending) - macSize - aes.BlockSize) / aes.BlockSize * aes.BlockSize; whole > 0 {
			o.decrypt(whole)
			o.plain.Write(o.ready)
		}
		switch {
		case errors.Is(err, io.EOF):
			o.err = o.finish()
		case err != nil:
			o.err = err
		}
	}
	if len(o.ready) == 0 {
		return 0, o.err
	}
	n := copy(p, o.ready)
	o.ready = o.ready[n:]
	return n, nil
}

// decrypt decrypts the first n pending bytes for reading.
func (o *opened) decrypt(n int) {
	o.mac.Write(o.pending[:n])
	plain := make([]byte, n)
	o.cbc.CryptBlocks(plain, o.pending[:n])
	o.ready, o.pending = append(o.ready, plain...), append(o.pending[:0], o.pending[n:]...)
}

// finish verifies the attachment and releases its last bytes for reading.
func (o *opened) finish() error {
	if len(o.pending) != aes.BlockSize+macSize {
		return errAltered
	}
	before := len(o.ready)
	o.decrypt(aes.BlockSize)
	last := o.ready[before:]
	padding := int(last[aes.BlockSize-1])
	o.ready = o.ready[:before]
	if padding < 1 || padding > aes.BlockSize {
		return errAltered
	}
	last = last[:aes.BlockSize-padding]
	o.plain.Write(last)
	if !hmac.Equal(o.mac.Sum(nil)[:macSize], o.pending) || !hmac.Equal(o.encrypted.Sum(nil), o.want.EncHash) || !hmac.Equal(o.plain.Sum(nil), o.want.Hash) {
		return errAltered
	}
	o.ready = append(o.ready, last...)
	return io.EOF
}

// Close implements [io.Closer].
func (o *opened) Close() error { return o.body.Close() }
