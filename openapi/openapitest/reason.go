package openapitest

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// reasons shortens kin's errors to the location and the reason, because they otherwise quote schemas
// and values at length.
func reasons() openapi3.SchemaValidationOption {
	return openapi3.SetSchemaErrorMessageCustomizer(func(err *openapi3.SchemaError) string {
		reason := err.Reason
		if err.Origin != nil {
			reason = strings.ReplaceAll(err.Origin.Error(), "validation failed due to: ", "")
		}
		// The 2020-12 validator's reasons contain the location.
		if i := strings.Index(reason, "at '"); i >= 0 {
			return reason[i:]
		}
		return "at '/" + strings.Join(err.JSONPointer(), "/") + "': " + reason
	})
}
