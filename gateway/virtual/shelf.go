package virtual

// slot holds a message in two lists: its owner's, and that of all messages by age.
type slot struct {
	message
	next         *slot // of the same owner
	older, newer *slot
}

// shelf is the list of one owner.
type shelf struct {
	head, tail *slot
	count      int
	activity
}

// shelves keep the newest messages: so many of each owner, so many in all. Adding one takes the same time however many
// there are.
type shelves struct {
	each, all      int
	byOwner        map[string]*shelf
	oldest, newest *slot
	count          int
}

func (s *shelves) add(m *message) *slot {
	sh := s.byOwner[m.owner]
	if sh == nil {
		sh = &shelf{activity: activity{address: m.owner}}
		s.byOwner[m.owner] = sh
	}
	n := &slot{message: *m, older: s.newest}
	if sh.tail == nil {
		sh.head = n
	} else {
		sh.tail.next = n
	}
	if s.newest == nil {
		s.oldest = n
	} else {
		s.newest.newer = n
	}
	sh.tail, s.newest = n, n
	sh.count++
	s.count++
	if sh.count > s.each {
		s.drop(sh)
	}
	if s.count > s.all {
		s.drop(s.byOwner[s.oldest.owner]) // the oldest of all is the first of its owner's
	}
	return n
}

// drop takes out the oldest message of a shelf.
func (s *shelves) drop(sh *shelf) {
	n := sh.head
	sh.head = n.next
	if sh.head == nil {
		sh.tail = nil
	}
	if n.older == nil {
		s.oldest = n.newer
	} else {
		n.older.newer = n.newer
	}
	if n.newer == nil {
		s.newest = n.older
	} else {
		n.newer.older = n.older
	}
	sh.count--
	s.count--
	if n.unread() {
		sh.unread--
	}
	if sh.count == 0 {
		delete(s.byOwner, sh.address)
	}
}

// of calls fn for each message of an owner, oldest first.
func (s *shelves) of(owner string, fn func(*shelf, *slot)) {
	sh := s.byOwner[owner]
	if sh == nil {
		return
	}
	for n := sh.head; n != nil; n = n.next {
		fn(sh, n)
	}
}
