package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"example.com/griot/internal/textfile"
)

// Pair is a certificate with its chain, and its key, in two PEM files. It is safe for concurrent use.
type Pair struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
}

// Open reads a pair.
func Open(certFile, keyFile string) (*Pair, error) {
	p := &Pair{certFile: certFile, keyFile: keyFile}
	return p, p.Reload()
}

// Reload reads the files again. Later connections get the new certificate. After an error they still get the previous
// one, because a renewal might have written only one of the files.
func (p *Pair) Reload() error {
	c, err := loadPair(p.certFile, p.keyFile)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s can't be read: %w", at.Path, at.Err)
	}
	if err != nil { // the library's texts are about PEM, a key's type, or a mismatch of the pair
		return fmt.Errorf("%s and %s are no pair: %w", p.certFile, p.keyFile, err)
	}
	p.current.Store(&c)
	return nil
}

func loadPair(certFile, keyFile string) (c tls.Certificate, err error) {
	cert, err := os.ReadFile(certFile)
	if err != nil {
		return c, err
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return c, err
	}
	return tls.X509KeyPair(textfile.Text(cert), textfile.Text(key))
}

// Leaf returns the certificate itself.
func (p *Pair) Leaf() *x509.Certificate { return p.current.Load().Leaf }

// soon is the time before its expiry at which a certificate should have been renewed.
const soon = 14 * 24 * time.Hour

// Warning returns the problem with the certificate for a server with some names, or "".
func (p *Pair) Warning(now time.Time, names ...string) string {
	leaf := p.Leaf()
	switch {
	case now.After(leaf.NotAfter):
		return "it has expired"
	case now.Before(leaf.NotBefore):
		return "it is not valid yet"
	case now.Add(soon).After(leaf.NotAfter):
		return "it expires within 14 days"
	}
	for _, name := range names {
		if leaf.VerifyHostname(name) != nil {
			return "it is not for " + name
		}
	}
	return ""
}

// Config returns the TLS configuration of a server with the certificate.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.current.Load(), nil },
	}
}
