package virtual

// ring keeps the newest limit values.
type ring[T any] struct {
	limit  int
	values []T
	oldest int // once full
}

// push adds a value and returns the one that it replaces, if any.
func (r *ring[T]) push(v T) (gone T, replaced bool) {
	if len(r.values) < r.limit {
		r.values = append(r.values, v)
		return gone, false
	}
	gone, r.values[r.oldest] = r.values[r.oldest], v
	r.oldest = (r.oldest + 1) % r.limit
	return gone, true
}

// each calls fn for every value, oldest first.
func (r *ring[T]) each(fn func(T)) {
	for i := range r.values {
		fn(r.values[(r.oldest+i)%len(r.values)])
	}
}

// queue keeps values until they are removed, up to limit; 0 means no limit. It numbers them consecutively.
type queue[T any] struct {
	limit       int
	removedUpTo int64 // all numbers up to this one are removed
	entries     []queueEntry[T]
}

type queueEntry[T any] struct {
	value   T
	removed bool
}

// push adds a value and returns its number. ok is false if the queue is full.
func (q *queue[T]) push(v T) (seq int64, ok bool) {
	if q.limit > 0 && len(q.entries) == q.limit {
		return 0, false
	}
	q.entries = append(q.entries, queueEntry[T]{value: v})
	return q.removedUpTo + int64(len(q.entries)), true
}

// after returns up to limit values with numbers above seq.
func (q *queue[T]) after(seq int64, limit int) []queued[T] {
	first := max(0, seq-q.removedUpTo)
	list := make([]queued[T], 0, max(0, min(limit, len(q.entries)-int(first))))
	for i := first; i < int64(len(q.entries)) && len(list) < limit; i++ {
		if p := &q.entries[i]; !p.removed {
			list = append(list, queued[T]{q.removedUpTo + i + 1, p.value})
		}
	}
	return list
}

// remove removes a value.
func (q *queue[T]) remove(seq int64) (v T, ok bool) {
	i := seq - q.removedUpTo - 1
	if i < 0 || i >= int64(len(q.entries)) || q.entries[i].removed {
		return v, false
	}
	v = q.entries[i].value
	q.entries[i] = queueEntry[T]{removed: true} // frees the value
	n := 0
	for n < len(q.entries) && q.entries[n].removed {
		n++
	}
	q.entries = q.entries[n:]
	q.removedUpTo += int64(n)
	return v, true
}
