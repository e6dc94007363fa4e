package smtp

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"

	"example.com/griot/gateway/gatewaytest"
)

// read parses a message with the standard library, independently of the libraries that composed it.
func read(raw []byte) (gatewaytest.Received, error) {
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return gatewaytest.Received{}, err
	}
	id := m.Header.Get("Message-Id")
	ref, _, _ := strings.Cut(strings.TrimPrefix(id, "<"), "@")
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		subject = m.Header.Get("Subject") // it isn't encoded
	}
	r := gatewaytest.Received{Ref: ref, ProviderID: id, Subject: subject}
	return r, readPart(&r, m.Header.Get, m.Body)
}

func readPart(r *gatewaytest.Received, header func(string) string, body io.Reader) error {
	kind, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		return err
	}
	if kind == "multipart/alternative" {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := readPart(r, p.Header.Get, p); err != nil {
				return err
			}
		}
	}
	if encoding := header("Content-Transfer-Encoding"); encoding != "quoted-printable" || params["charset"] != "UTF-8" {
		return fmt.Errorf("%s in %s, %s", kind, encoding, params["charset"])
	}
	text, err := io.ReadAll(quotedprintable.NewReader(body))
	switch kind {
	case "text/plain":
		r.Text = string(text)
	case "text/html":
		r.HTML = string(text)
	default:
		return fmt.Errorf("unexpected part of type %s", kind)
	}
	return err
}
