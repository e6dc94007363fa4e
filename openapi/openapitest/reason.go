package openapitest

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// reasons makes kin's errors say where and why only: they quote schemas and values at length otherwise.
func reasons() openapi3.SchemaValidationOption {
	return openapi3.SetSchemaErrorMessageCustomizer(func(err *openapi3.SchemaError) string {
		reason := err.Reason
		if err.Origin != nil {
			reason = strings.ReplaceAll(err.Origin.Error(), "validation failed due to: ", "")
		}
		// The 2020-12 validator's reasons name the place themselves.
		if i := strings.Index(reason, "at '"); i >= 0 {
			return reason[i:]
		}
		return "at '/" + strings.Join(err.JSONPointer(), "/") + "': " + reason
	})
}
