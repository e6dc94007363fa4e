// Package certificate keeps the certificate of a TLS server, which is read again while the server runs.
package certificate
