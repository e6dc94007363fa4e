// Package setting reads the settings of drivers. Unknown fields are errors, secrets are given by value or in a file,
// and errors never contain values.
package setting
