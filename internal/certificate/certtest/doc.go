// Package certtest makes certificates for tests.
package certtest
