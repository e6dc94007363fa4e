package verb

import (
	"errors"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
)

// Refuse returns an error whose text the operator sees.
func Refuse(format string, args ...any) error {
	return (&apierror.Kind{Code: refused, Status: http.StatusBadRequest}).Err().Detailf(format, args...)
}

// RefuseStale returns a refusal that is also [forms.ErrStale]: the values changed after they were shown.
func RefuseStale() error {
	return errors.Join(Refuse("The values changed after they were shown. Review them again."), forms.ErrStale)
}

const refused = "refused"

// Refusal returns the text of an error that [Refuse] has created.
func Refusal(err error) (text string, ok bool) {
	if e, is := errors.AsType[*apierror.Error](err); is && e.Kind.Code == refused {
		return e.Text(), true
	}
	return "", false
}
