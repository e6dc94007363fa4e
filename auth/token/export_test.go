package token

// Occupy takes every turn to sign, until release is called.
func (s *Signer) Occupy() (release func()) {
	for range cap(s.turns) {
		s.turns <- struct{}{}
	}
	return func() {
		for range cap(s.turns) {
			<-s.turns
		}
	}
}
