// Package certificate holds the certificate of a TLS server and can reload it while the server runs.
package certificate
