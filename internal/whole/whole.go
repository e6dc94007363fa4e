// Package whole checks that a struct of dependencies is complete.
package whole

import (
	"fmt"
	"reflect"
)

// Check returns an error that names the first field with a zero value, such as a nil pointer, in the struct that of points
// to. Optional fields belong in another struct.
func Check(name string, of any) error {
	v := reflect.ValueOf(of).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			return fmt.Errorf("%s: %s is missing", name, v.Type().Field(i).Name)
		}
	}
	return nil
}
