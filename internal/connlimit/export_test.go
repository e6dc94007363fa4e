package connlimit

// Idle returns the number of connections between two requests.
func Idle(l *Limiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.idle.Len()
}
