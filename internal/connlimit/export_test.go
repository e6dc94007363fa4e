package connlimit

// Idle is how many connections are between two requests.
func Idle(l *Limiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.idle.Len()
}
