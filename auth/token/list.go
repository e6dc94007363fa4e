package token

import "context"

// Keys returns the published keys: the active one, the next one, and the previous ones.
func (s *Signer) Keys(ctx context.Context) (keys []Key, err error) {
	found, err := selectKeys(s.db.Read(ctx))
	now := s.now()
	for _, k := range found {
		if k.published(now) {
			keys = append(keys, *k)
		}
	}
	return keys, err
}
