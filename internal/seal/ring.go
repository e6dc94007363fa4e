package seal

import (
	"bytes"
	"encoding/base64"
	"sync"
	"sync/atomic"
)

// ring is which of several master keys is used. A deployment whose key is being rotated has two: both open, one seals.
// Which, is for all processes the same, and says the database.
type ring struct {
	newest  atomic.Int32 // how far the key that seals is from the oldest: 0 until the database says otherwise
	first   atomic.Pointer[string]
	mu      sync.RWMutex
	lasting map[string][]byte
}

// WithPrevious returns the key with those before it, the latest first. Until [Key.SealWith] the oldest of them seals.
func (k *Key) WithPrevious(previous ...*Key) *Key {
	out := &Key{masters: append([][]byte(nil), k.masters...)}
	for _, p := range previous {
		for _, master := range p.masters {
			if !out.has(master) {
				out.masters = append(out.masters, master)
			}
		}
	}
	return out
}

func (k *Key) has(master []byte) bool {
	for _, m := range k.masters {
		if bytes.Equal(m, master) {
			return true
		}
	}
	return false
}

func (k *Key) name(i int) string {
	return base64.RawURLEncoding.EncodeToString(derive(k.masters[i], "name")[:9])
}

// Names are those of all the keys, the configured one first.
func (k *Key) Names() (names []string) {
	for i := range k.masters {
		names = append(names, k.name(i))
	}
	return names
}

// SealWith makes the key of a name seal from now on, with all that was made of k before. It returns false where k has no
// such key.
func (k *Key) SealWith(name string) bool {
	for i := range k.masters {
		if k.name(i) == name {
			k.newest.Store(int32(len(k.masters) - 1 - i))
			return true
		}
	}
	return false
}

// Sealing is the name of the key that seals.
func (k *Key) Sealing() string { return k.name(k.sealing()) }

func (k *Key) sealing() int { return len(k.masters) - 1 - int(k.newest.Load()) }

// order is the masters as they are tried.
func (k *Key) order() []int {
	first := k.sealing()
	order := []int{first}
	for i := range k.masters {
		if i != first {
			order = append(order, i)
		}
	}
	return order
}

// Reseal seals a text with the key that seals now, where another has sealed it; else it returns the text itself.
func (b *Box) Reseal(sealed, about string) (string, error) {
	plain, with, err := b.open(sealed, about)
	if to := b.key.sealing(); err == nil && with != to {
		return b.seal(to, plain, about), nil
	}
	return sealed, err
}

// Secret is the derived key of one purpose, by which values are recognized: under the master key that seals. It is safe for
// concurrent use.
type Secret struct {
	key     *Key
	derived [][]byte
}

// Secret returns the secret of one purpose.
func (k *Key) Secret(purpose string) *Secret {
	s := &Secret{key: k}
	for _, master := range k.masters {
		s.derived = append(s.derived, derive(master, purpose))
	}
	return s
}

// MAC is [MAC] of the parts.
func (s *Secret) MAC(parts ...string) []byte { return MAC(s.derived[s.key.sealing()], parts...) }

// MACs are those of the parts under all the keys, the one that seals first: a value from before a rotation is one of them.
func (s *Secret) MACs(parts ...string) (all [][]byte) {
	for _, i := range s.key.order() {
		all = append(all, MAC(s.derived[i], parts...))
	}
	return all
}

// Made reports whether a text is what write makes of the parts' MAC, under any of the keys.
func (s *Secret) Made(text string, write func(mac []byte) string, parts ...string) bool {
	made := false
	for _, mac := range s.MACs(parts...) {
		made = Equal(text, write(mac)) || made
	}
	return made
}

// Marked returns the key of the purpose, and the mark with which values begin that are stored for long: by it those of
// another key are told from wrong ones. The first key that a deployment had has none.
func (s *Secret) Marked() (mark string, key []byte) {
	i, first := s.key.sealing(), s.key.first.Load()
	if first != nil && *first != s.key.name(i) {
		mark = "k" + s.key.name(i) + "."
	}
	return mark, s.derived[i]
}

// SetFirst says which key was a deployment's first.
func (k *Key) SetFirst(name string) { k.first.Store(&name) }

// Lasting is a secret that a rotation does not change, since what was made with it must be found for ever. It is derived
// from a deployment's first master key; from the first rotation on, the database keeps it, sealed.
type Lasting struct {
	key     *Key
	purpose string
	derived *Secret
}

// Lasting returns the lasting secret of one purpose.
func (k *Key) Lasting(purpose string) *Lasting { return &Lasting{k, purpose, k.Secret(purpose)} }

// MAC is [MAC] of the parts.
func (l *Lasting) MAC(parts ...string) []byte {
	l.key.mu.RLock()
	kept := l.key.lasting[l.purpose]
	l.key.mu.RUnlock()
	if kept != nil {
		return MAC(kept, parts...)
	}
	return l.derived.MAC(parts...)
}

// Keep gives the lasting secret of a purpose, as the database has it.
func (k *Key) Keep(purpose string, secret []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lasting == nil {
		k.lasting = map[string][]byte{}
	}
	k.lasting[purpose] = secret
}

// Kept returns what is to be kept of a lasting secret.
func (k *Key) Kept(purpose string) []byte {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if kept := k.lasting[purpose]; kept != nil {
		return kept
	}
	return derive(k.masters[k.sealing()], purpose)
}
