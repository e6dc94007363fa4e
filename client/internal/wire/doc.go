// Package wire makes requests to Griot and retries them if that is safe. The clients of both services use it.
package wire
