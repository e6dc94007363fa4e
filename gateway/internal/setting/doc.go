// Package setting reads the settings of drivers: strictly, with secrets by value or from a file, and without
// ever showing a value in an error.
package setting
