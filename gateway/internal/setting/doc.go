// Package setting reads the settings of drivers. Unknown members are errors, secrets are given by value or in a file,
// and no error contains a value.
package setting
