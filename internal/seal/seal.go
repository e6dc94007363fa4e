package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
)

// MasterKeySize is the length of a master key in bytes.
const MasterKeySize = 32

// ErrSealed is returned by [Key.Open] for a text that this key did not seal for this purpose.
var ErrSealed = errors.New("seal: not sealed with this key")

// Key is the master key, possibly with its predecessors. Every purpose has its own key, derived by name. It is safe for
// concurrent use.
type Key struct {
	masters [][]byte // the configured one first, then its predecessors
	ring
}

// NewKey returns the key for a master key of 32 bytes.
func NewKey(master []byte) (*Key, error) {
	if len(master) != MasterKeySize {
		return nil, fmt.Errorf("seal: a master key has %d bytes, not %d", MasterKeySize, len(master))
	}
	return &Key{masters: [][]byte{append([]byte(nil), master...)}}, nil
}

// ParseKey parses a master key of 32 bytes in base64, with or without padding.
func ParseKey(s string) (*Key, error) {
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(s); err == nil && len(b) == MasterKeySize {
			return NewKey(b)
		}
	}
	return nil, fmt.Errorf("seal: a master key is %d bytes in base64", MasterKeySize)
}

// NewMasterKey returns a new master key in the format of [ParseKey].
func NewMasterKey() string {
	b := make([]byte, MasterKeySize)
	_, _ = rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

// Name returns the name of the key, which identifies it without revealing it.
func (k *Key) Name() string { return k.name(0) }

// Derive returns the 32-byte key of one purpose (HKDF-SHA256, RFC 5869), derived from the configured master key. Use a
// [Secret] for values that are stored or shown to others.
func (k *Key) Derive(purpose string) []byte { return derive(k.masters[0], purpose) }

func derive(master []byte, purpose string) []byte {
	b, err := hkdf.Key(sha256.New, master, nil, "griot/"+purpose, 32)
	if err != nil {
		panic("seal: " + err.Error()) // only for lengths of more than 255 hashes
	}
	return b
}

// Box seals and opens texts of one purpose. It is safe for concurrent use.
type Box struct {
	key     *Key
	aeads   []cipher.AEAD // by the index of the master key
	purpose []byte
}

// Box returns the box of one purpose.
func (k *Key) Box(purpose string) *Box {
	b := &Box{key: k, purpose: []byte(purpose)}
	for _, master := range k.masters {
		block, err := aes.NewCipher(derive(master, "box/"+purpose))
		if err != nil {
			panic("seal: " + err.Error()) // only for keys of another length
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			panic("seal: " + err.Error())
		}
		b.aeads = append(b.aeads, aead)
	}
	return b
}

// Seal encrypts plain. about binds the text to its owner (a row's id). It opens only with the same about.
func (b *Box) Seal(plain []byte, about string) string { return b.seal(b.key.sealing(), plain, about) }

func (b *Box) seal(with int, plain []byte, about string) string {
	aead := b.aeads[with]
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	return base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, plain, b.context(about)))
}

// Open decrypts the result of [Box.Seal] for the same about, with any of the keys. It returns [ErrSealed] if none fits.
func (b *Box) Open(sealed, about string) ([]byte, error) {
	plain, _, err := b.open(sealed, about)
	return plain, err
}

func (b *Box) open(sealed, about string) (plain []byte, with int, err error) {
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil || len(raw) < b.aeads[0].NonceSize() {
		return nil, 0, ErrSealed
	}
	for _, with := range b.key.order() {
		n := b.aeads[with].NonceSize()
		if plain, err := b.aeads[with].Open(nil, raw[:n], raw[n:], b.context(about)); err == nil {
			return plain, with, nil
		}
	}
	return nil, 0, ErrSealed
}

func (b *Box) context(about string) []byte {
	return append(append([]byte{}, b.purpose...), "\x00"+about...)
}

// MAC returns the HMAC-SHA256 of the parts under key. The length of each part is
// included, so that no two lists of parts have the same input.
func MAC(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		var n [4]byte
		l := len(p)
		n[0], n[1], n[2], n[3] = byte(l>>24), byte(l>>16), byte(l>>8), byte(l)
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// Hash returns the SHA-256 of a random token, as base64url. The database stores it instead of the token.
func Hash(token string) string {
	h := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(h[:])
}

// Digest is a [Hash] as bytes.
type Digest [sha256.Size]byte

// ParseDigest parses a [Hash].
func ParseDigest(hash string) (d Digest, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(hash)
	return d, err == nil && copy(d[:], b) == len(d)
}

// Of reports whether the digest is a token's, in constant time.
func (d *Digest) Of(token string) bool {
	h := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(h[:], d[:]) == 1
}

// Equal reports whether two texts are equal, in constant time.
func Equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
