// Package logtest records log output, so that tests can check it, and check that it contains no submitted values.
package logtest
