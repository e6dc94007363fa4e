package httpx

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// TypeUpload is the content type of a form that can have a file (RFC 7578).
const TypeUpload = "multipart/form-data"

// Limits of a form with a file, in bytes. The part of a file that exceeds its limit is read and dropped, so that a
// browser gets an error page instead of a broken connection.
const (
	MaxUpload     = 16 << 20 // the whole body
	maxUploadText = 64 << 10 // the names, the values, and the headers of its fields
	maxParts      = 100      // its fields, also empty ones
)

// ReadUpload reads a form that can have one file, like [API.ReadForm]. It keeps at most one byte more than most, so
// that the caller can detect a larger file. file is nil if none was chosen.
func (a *API) ReadUpload(w http.ResponseWriter, r *http.Request, most int64) (in url.Values, file []byte, err error) {
	if MediaType(r) != TypeUpload {
		in, err = a.ReadForm(w, r)
		return in, nil, err
	}
	in, file, err = ParseUpload(r, http.MaxBytesReader(w, r.Body, MaxUpload), most)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, nil, a.Kinds.TooLarge.Err()
	}
	if err != nil {
		return nil, nil, a.Kinds.Member.Err().Detailf("The form is malformed.")
	}
	return in, file, a.checkForm(in)
}

// ParseUpload parses the body of a request of the type [TypeUpload]. The value of a field with a file is the file's
// name, and file is the content, truncated after one byte more than most. Its work is bounded by the bytes of the body
// that have a meaning: nothing can precede the first field, and there are at most 100 fields.
func ParseUpload(r *http.Request, body io.Reader, most int64) (in url.Values, file []byte, err error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, nil, err
	}
	start, first := bufio.NewReader(body), "--"+params["boundary"]
	if head, err := start.Peek(len(first)); string(head) != first { // a preamble, which no browser sends, would be read line by line
		return nil, nil, cmp.Or(err, errPreamble)
	}
	r.Body = io.NopCloser(start)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, err
	}
	in = url.Values{}
	for left, n := int64(maxUploadText), 0; left >= 0 && n <= maxParts; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF { // the end; a truncated body returns an error that wraps it
			return in, file, nil
		}
		if err != nil {
			return nil, nil, err
		}
		name, value := part.FormName(), bytes.Buffer{}
		if part.FileName() == "" {
			_, _ = value.ReadFrom(io.LimitReader(part, left+1)) // NextPart returns the same error
		} else {
			file, _ = io.ReadAll(io.LimitReader(part, most+1))
			value.WriteString(part.FileName())
		}
		in.Add(name, value.String())
		left -= int64(value.Len())
		for key, values := range part.Header {
			left -= int64(len(key) + len(strings.Join(values, "")))
		}
	}
	return nil, nil, &http.MaxBytesError{Limit: maxUploadText}
}

var errPreamble = errors.New("httpx: the form doesn't start with a field")
