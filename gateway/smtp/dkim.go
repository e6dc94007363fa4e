package smtp

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/emersion/go-msgauth/dkim"

	"example.com/griot/internal/textfile"
)

// signer signs the mail of one domain and its subdomains (RFC 6376).
type signer struct {
	domain, selector string
	key              crypto.Signer
}

const minRSABits = 1024 // verifiers accept no less (RFC 8301)

// newSigner reads the key. It returns nil if there is none.
func newSigner(s *settings) (*signer, error) {
	if s.DKIMKeyFile == "" {
		return nil, nil //nolint:nilnil // nothing is signed
	}
	content, err := os.ReadFile(s.DKIMKeyFile)
	if err != nil {
		return nil, fmt.Errorf("settings: dkim_key_file: %w", err)
	}
	key, err := parseKey(content)
	if err != nil {
		return nil, err
	}
	return &signer{domain: strings.ToLower(s.DKIMDomain), selector: s.DKIMSelector, key: key}, nil
}

// parseKey parses a private key. Its errors do not contain the key.
func parseKey(content []byte) (crypto.Signer, error) {
	bad := errors.New("settings: dkim_key_file holds no RSA key of 1024 bits or more, nor an Ed25519 key, in PEM")
	block, _ := pem.Decode(textfile.Text(content))
	if block == nil {
		return nil, bad
	}
	var found any
	found, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		found, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, bad
	}
	switch key := found.(type) {
	case *rsa.PrivateKey:
		if key.N.BitLen() >= minRSABits {
			return key, nil
		}
	case ed25519.PrivateKey:
		return key, nil
	}
	return nil, bad
}

// covers reports whether a sender's domain is the signer's domain or below it.
func (s *signer) covers(domain string) bool {
	domain = strings.ToLower(domain)
	return domain == s.domain || strings.HasSuffix(domain, "."+s.domain)
}

// signedHeaders lists the header fields that a signature covers. From and Subject are listed once more than they
// occur, so that no further ones can be added.
func signedHeaders() []string {
	return []string{
		"From", "From", "To", "Subject", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
		"List-Unsubscribe", "List-Unsubscribe-Post",
	}
}

// sign returns the message with a DKIM-Signature field.
func (s *signer) sign(content []byte) ([]byte, error) {
	var out bytes.Buffer
	err := dkim.Sign(&out, bytes.NewReader(content), &dkim.SignOptions{
		Domain: s.domain, Selector: s.selector, Signer: s.key, Hash: crypto.SHA256, HeaderKeys: signedHeaders(),
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	})
	return out.Bytes(), err
}

var labels = regexp.MustCompile(`\A[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\z`)

// isLabels reports whether s is a DNS name or "".
func isLabels(s string) bool { return s == "" || len(s) <= 253 && labels.MatchString(s) }
