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

// queue keeps up to limit values, or all of them without a limit, until they are settled. Their numbers follow one another.
type queue[T any] struct {
	limit  int
	gone   int64 // the number of the last one that left
	places []place[T]
}

type place[T any] struct {
	value   T
	settled bool
}

// push adds a value and returns its number; ok is false when the queue is full.
func (q *queue[T]) push(v T) (seq int64, ok bool) {
	if q.limit > 0 && len(q.places) == q.limit {
		return 0, false
	}
	q.places = append(q.places, place[T]{value: v})
	return q.gone + int64(len(q.places)), true
}

// after returns up to limit unsettled values with numbers above seq.
func (q *queue[T]) after(seq int64, limit int) []queued[T] {
	first := max(0, seq-q.gone)
	list := make([]queued[T], 0, max(0, min(limit, len(q.places)-int(first))))
	for i := first; i < int64(len(q.places)) && len(list) < limit; i++ {
		if p := &q.places[i]; !p.settled {
			list = append(list, queued[T]{q.gone + i + 1, p.value})
		}
	}
	return list
}

// settle takes out a value.
func (q *queue[T]) settle(seq int64) (v T, ok bool) {
	i := seq - q.gone - 1
	if i < 0 || i >= int64(len(q.places)) || q.places[i].settled {
		return v, false
	}
	v = q.places[i].value
	q.places[i] = place[T]{settled: true} // what it pointed to can go
	n := 0
	for n < len(q.places) && q.places[n].settled {
		n++
	}
	q.places = q.places[n:]
	q.gone += int64(n)
	return v, true
}
