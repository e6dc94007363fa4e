package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Overhead is the number of bytes that encryption adds to a value.
const Overhead = 16

const keySize = 32

// ErrSealed reports that a value was not encrypted with this key, or was changed.
var ErrSealed = errors.New("the value can't be opened with this master key")

// Box encrypts and decrypts values. The encryption is deterministic, so that an encrypted value can be looked up. The
// first bytes are a MAC of the value, which is also the initialization vector of the encryption (the SIV
// construction). A reader of the store can see only which values are equal.
type Box struct {
	mac   []byte
	block cipher.Block
}

// New returns a box for a master key of 32 bytes.
func New(master []byte) (*Box, error) {
	if len(master) != keySize {
		return nil, fmt.Errorf("the master key has %d bytes, want %d", len(master), keySize)
	}
	mac, err := hkdf.Key(sha256.New, master, nil, "griot-whatsapp mac", keySize)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, master, nil, "griot-whatsapp encryption", keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return &Box{mac: mac, block: block}, nil
}

func (b *Box) vector(plain []byte) []byte {
	h := hmac.New(sha256.New, b.mac)
	h.Write(plain)
	return h.Sum(nil)[:Overhead]
}

// Seal encrypts a value.
func (b *Box) Seal(plain []byte) []byte {
	out := make([]byte, Overhead+len(plain))
	copy(out, b.vector(plain))
	cipher.NewCTR(b.block, out[:Overhead]).XORKeyStream(out[Overhead:], plain)
	return out
}

// Open decrypts a value.
func (b *Box) Open(sealed []byte) ([]byte, error) {
	if len(sealed) < Overhead {
		return nil, ErrSealed
	}
	plain := make([]byte, len(sealed)-Overhead)
	cipher.NewCTR(b.block, sealed[:Overhead]).XORKeyStream(plain, sealed[Overhead:])
	if !hmac.Equal(sealed[:Overhead], b.vector(plain)) {
		return nil, ErrSealed
	}
	return plain, nil
}

// LoadKey reads a master key of 64 hexadecimal digits from a file. If the file does not exist and create is set, it creates one.
func LoadKey(path string, create bool) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && create {
		return createKey(path)
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("%s does not hold a master key of %d hexadecimal digits", path, 2*keySize)
	}
	return key, nil
}

// createKey writes a new key to a file that must not exist, so that two processes that start at the same time cannot
// create different keys.
func createKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	rand.Read(key)
	temporary, err := os.CreateTemp(filepath.Dir(path), ".master-key-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	if _, err := fmt.Fprintln(temporary, hex.EncodeToString(key)); err != nil {
		return nil, err
	}
	if err := errors.Join(temporary.Sync(), temporary.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(temporary.Name(), path); errors.Is(err, fs.ErrExist) {
		return LoadKey(path, false)
	} else if err != nil {
		return nil, err
	}
	return key, nil
}

// Name returns a name that is unique to this process.
func Name() string { return rand.Text() }
