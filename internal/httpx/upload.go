package httpx

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// TypeUpload is the content type of a form that can have a file (RFC 7578).
const TypeUpload = "multipart/form-data"

// Limits of a form with a file, in bytes. The part of a file that exceeds its limit is read and dropped, so that a
// browser gets an error page instead of a broken connection.
const (
	MaxUpload     = 16 << 20 // the whole body
	maxUploadText = 64 << 10 // the names and the values of its fields
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
// name, and file is the content, truncated after one byte more than most.
func ParseUpload(r *http.Request, body io.Reader, most int64) (in url.Values, file []byte, err error) {
	r.Body = io.NopCloser(body)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, err
	}
	in = url.Values{}
	for left := int64(maxUploadText); left >= 0; {
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
		left -= int64(len(name) + value.Len())
	}
	return nil, nil, &http.MaxBytesError{Limit: maxUploadText}
}
