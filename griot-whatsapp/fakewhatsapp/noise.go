package fakewhatsapp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/whatsmeow/proto/waCert"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// certify creates the server's certificate. An intermediate key signs the server's key, and the root key signs the intermediate key.
func (s *Server) certify() error {
	intermediate := keys.NewKeyPair()
	sign := func(serial, issuer uint32, public []byte, signer *keys.KeyPair) (*waCert.CertChain_NoiseCertificate, error) {
		now := uint64(time.Now().Unix())
		details, err := proto.Marshal(&waCert.CertChain_NoiseCertificate_Details{
			Serial: &serial, IssuerSerial: &issuer, Key: public, NotBefore: proto.Uint64(now - 60), NotAfter: proto.Uint64(now + 86400),
		})
		if err != nil {
			return nil, err
		}
		signature := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*signer.Priv), details)
		return &waCert.CertChain_NoiseCertificate{Details: details, Signature: signature[:]}, nil
	}
	middle, err := sign(1, 0, intermediate.Pub[:], root())
	if err != nil {
		return err
	}
	leaf, err := sign(2, 1, s.static.Pub[:], intermediate)
	if err != nil {
		return err
	}
	s.chain, err = proto.Marshal(&waCert.CertChain{Intermediate: middle, Leaf: leaf})
	return err
}

// noise is the state of the responder of Noise_XX_25519_AESGCM_SHA256.
type noise struct {
	hash, salt []byte
	aead       cipher.AEAD
	counter    uint32
}

func newNoise(header []byte) *noise {
	name := []byte("Noise_XX_25519_AESGCM_SHA256\x00\x00\x00\x00")
	x := &noise{hash: name, salt: name, aead: gcm(name)}
	x.authenticate(header)
	return x
}

// gcm returns AES-GCM with a key of 32 bytes. It panics on another length, which is the only possible error.
func gcm(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return aead
}

func nonce(n uint32) []byte {
	b := make([]byte, 12)
	binary.BigEndian.PutUint32(b[8:], n)
	return b
}

func (x *noise) authenticate(b []byte) {
	h := sha256.Sum256(append(append([]byte{}, x.hash...), b...))
	x.hash = h[:]
}

func (x *noise) split(secret []byte) (a, b []byte, err error) {
	out, err := hkdf.Key(sha256.New, secret, x.salt, "", 64)
	if err != nil {
		return nil, nil, err
	}
	return out[:32], out[32:], nil
}

func (x *noise) mix(private, public []byte) error {
	secret, err := curve25519.X25519(private, public)
	if err != nil {
		return err
	}
	var key []byte
	if x.salt, key, err = x.split(secret); err != nil {
		return err
	}
	x.aead, x.counter = gcm(key), 0
	return nil
}

func (x *noise) seal(plain []byte) []byte {
	sealed := x.aead.Seal(nil, nonce(x.counter), plain, x.hash)
	x.counter++
	x.authenticate(sealed)
	return sealed
}

func (x *noise) open(sealed []byte) ([]byte, error) {
	plain, err := x.aead.Open(nil, nonce(x.counter), sealed, x.hash)
	x.counter++
	if err == nil {
		x.authenticate(sealed)
	}
	return plain, err
}

// handshake exchanges keys and returns the client's payload.
func (c *conn) handshake() (*waWa6.ClientPayload, error) {
	header, err := c.header()
	if err != nil {
		return nil, err
	}
	x := newNoise(header)
	frame, err := c.frame()
	if err != nil {
		return nil, err
	}
	var hello, finish waWa6.HandshakeMessage
	if err := proto.Unmarshal(frame, &hello); err != nil {
		return nil, err
	}
	theirs, ours := hello.GetClientHello().GetEphemeral(), keys.NewKeyPair()
	x.authenticate(theirs)
	x.authenticate(ours.Pub[:])
	if err := x.mix(ours.Priv[:], theirs); err != nil {
		return nil, err
	}
	static := x.seal(c.s.static.Pub[:])
	if err := x.mix(c.s.static.Priv[:], theirs); err != nil {
		return nil, err
	}
	out, err := proto.Marshal(&waWa6.HandshakeMessage{ServerHello: &waWa6.HandshakeMessage_ServerHello{Ephemeral: ours.Pub[:], Static: static, Payload: x.seal(c.s.chain)}})
	if err != nil {
		return nil, err
	}
	if err := c.put(out); err != nil {
		return nil, err
	}
	if frame, err = c.frame(); err != nil {
		return nil, err
	}
	if err := proto.Unmarshal(frame, &finish); err != nil {
		return nil, err
	}
	client, err := x.open(finish.GetClientFinish().GetStatic())
	if err != nil {
		return nil, fmt.Errorf("the client's static key: %w", err)
	}
	if len(client) != len(c.noise) {
		return nil, errors.New("the client's static key has another length than 32")
	}
	if err := x.mix(ours.Priv[:], client); err != nil {
		return nil, err
	}
	plain, err := x.open(finish.GetClientFinish().GetPayload())
	if err != nil {
		return nil, fmt.Errorf("the client's payload: %w", err)
	}
	read, write, err := x.split(nil)
	if err != nil {
		return nil, err
	}
	c.read, c.write = gcm(read), gcm(write)
	copy(c.noise[:], client)
	var payload waWa6.ClientPayload
	return &payload, proto.Unmarshal(plain, &payload)
}
