package limit

// Len returns the number of stored keys.
func (l *Limiter) Len() (n int) {
	for i := range l.shards {
		l.shards[i].mu.Lock()
		n += len(l.shards[i].full)
		l.shards[i].mu.Unlock()
	}
	return n
}

// Len returns the number of stored keys.
func (w *Window) Len() int { return len(w.of) }
