// Package whole checks that nothing is missing in what a package is given.
package whole

import (
	"fmt"
	"reflect"
)

// Check returns an error that names the first field of a struct with its zero value, such as a nil pointer. of points to the
// struct. A field that may be missing belongs into another struct.
func Check(name string, of any) error {
	v := reflect.ValueOf(of).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			return fmt.Errorf("%s: %s is missing", name, v.Type().Field(i).Name)
		}
	}
	return nil
}
