// Package certtest creates certificates for tests.
package certtest
