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

// Limits of a form with a file, in bytes. More of the file than its form takes is read and dropped, so that a browser
// gets a page that says so, and not a broken connection.
const (
	MaxUpload     = 16 << 20 // the whole body
	maxUploadText = 64 << 10 // the names and the values of its fields
)

// ReadUpload is [API.ReadForm] for a form that can have one file. It keeps at most a byte more of the file than most, by
// which its caller sees that it is larger. file is nil if none was chosen.
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

// ParseUpload parses the body of a request of the type [TypeUpload]. The value of a field with a file is the file's name, and
// file is the content, cut off after a byte more than most.
func ParseUpload(r *http.Request, body io.Reader, most int64) (in url.Values, file []byte, err error) {
	r.Body = io.NopCloser(body)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, err
	}
	in = url.Values{}
	for left := int64(maxUploadText); left >= 0; {
		part, err := parts.NextRawPart()
		if err == io.EOF { // the end: a body that is cut off has an error that wraps it
			return in, file, nil
		}
		if err != nil {
			return nil, nil, err
		}
		name, value := part.FormName(), bytes.Buffer{}
		if part.FileName() == "" {
			_, _ = value.ReadFrom(io.LimitReader(part, left+1)) // an error comes again with the next part
		} else {
			file, _ = io.ReadAll(io.LimitReader(part, most+1))
			value.WriteString(part.FileName())
		}
		in.Add(name, value.String())
		left -= int64(len(name) + value.Len())
	}
	return nil, nil, &http.MaxBytesError{Limit: maxUploadText}
}
