package seal

import (
	"bytes"
	"encoding/base64"
	"sync"
	"sync/atomic"
)

// ring selects one of several master keys. A deployment whose key is being rotated has two: both open, and one seals.
// The database determines the sealing key, so it is the same for all processes.
type ring struct {
	newest  atomic.Int32 // offset of the sealing key from the oldest key: 0 until the database sets it
	first   atomic.Pointer[string]
	mu      sync.RWMutex
	lasting map[string][]byte
}

// WithPrevious returns the key with its predecessors, latest first. Until [Key.SealWith], the oldest of them seals.
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

// Names returns the names of all the keys, the configured one first.
func (k *Key) Names() (names []string) {
	for i := range k.masters {
		names = append(names, k.name(i))
	}
	return names
}

// SealWith makes the key with a name seal from now on, also for all objects that were created from k before. It returns
// false if k has no such key.
func (k *Key) SealWith(name string) bool {
	for i := range k.masters {
		if k.name(i) == name {
			k.newest.Store(int32(len(k.masters) - 1 - i))
			return true
		}
	}
	return false
}

// Sealing returns the name of the sealing key.
func (k *Key) Sealing() string { return k.name(k.sealing()) }

func (k *Key) sealing() int { return len(k.masters) - 1 - int(k.newest.Load()) }

// order returns the indexes of the masters in the order in which they are tried.
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

// Reseal seals a text again with the sealing key if another key has sealed it. Otherwise it returns the text unchanged.
func (b *Box) Reseal(sealed, about string) (string, error) {
	plain, with, err := b.open(sealed, about)
	if to := b.key.sealing(); err == nil && with != to {
		return b.seal(to, plain, about), nil
	}
	return sealed, err
}

// Secret is a derived key for one purpose, for recognizing values. It uses the sealing master key. It is safe for
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

// MAC returns the [MAC] of the parts.
func (s *Secret) MAC(parts ...string) []byte { return MAC(s.derived[s.key.sealing()], parts...) }

// MACs returns the MACs of the parts under all keys, the sealing one first. The MAC of a value from before a rotation
// is one of them.
func (s *Secret) MACs(parts ...string) (all [][]byte) {
	for _, i := range s.key.order() {
		all = append(all, MAC(s.derived[i], parts...))
	}
	return all
}

// Made reports whether a text is the result of write for the parts' MAC, under any of the keys.
func (s *Secret) Made(text string, write func(mac []byte) string, parts ...string) bool {
	made := false
	for _, mac := range s.MACs(parts...) {
		made = Equal(text, write(mac)) || made
	}
	return made
}

// Marked returns the key of the purpose, and the mark at the start of values that are stored for a long time. The mark
// distinguishes values of another key from invalid ones. The first key of a deployment has no mark.
func (s *Secret) Marked() (mark string, key []byte) {
	i, first := s.key.sealing(), s.key.first.Load()
	if first != nil && *first != s.key.name(i) {
		mark = "k" + s.key.name(i) + "."
	}
	return mark, s.derived[i]
}

// SetFirst sets the name of a deployment's first key.
func (k *Key) SetFirst(name string) { k.first.Store(&name) }

// Lasting is a secret that a rotation doesn't change, because values that were created with it must be found
// permanently. It is derived from a deployment's first master key. From the first rotation on, the database stores it,
// sealed.
type Lasting struct {
	key     *Key
	purpose string
	derived *Secret
}

// Lasting returns the lasting secret of one purpose.
func (k *Key) Lasting(purpose string) *Lasting { return &Lasting{k, purpose, k.Secret(purpose)} }

// MAC returns the [MAC] of the parts.
func (l *Lasting) MAC(parts ...string) []byte {
	l.key.mu.RLock()
	kept := l.key.lasting[l.purpose]
	l.key.mu.RUnlock()
	if kept != nil {
		return MAC(kept, parts...)
	}
	return l.derived.MAC(parts...)
}

// Keep sets the lasting secret of a purpose from the database.
func (k *Key) Keep(purpose string, secret []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lasting == nil {
		k.lasting = map[string][]byte{}
	}
	k.lasting[purpose] = secret
}

// Kept returns the lasting secret of a purpose to be stored.
func (k *Key) Kept(purpose string) []byte {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if kept := k.lasting[purpose]; kept != nil {
		return kept
	}
	return derive(k.masters[k.sealing()], purpose)
}
