package virtual

// listEntry is a message in two lists: its owner's list, and the list of all messages by age.
type listEntry struct {
	*message
	next         *listEntry // of the same owner
	older, newer *listEntry
}

// phoneList is the list of one owner.
type phoneList struct {
	head, tail *listEntry
	count      int
	activity
}

// messageLists keep the newest messages: perOwner for each owner, and total in all. Adding a message takes constant time.
type messageLists struct {
	perOwner, total int
	byOwner         map[string]*phoneList
	oldest, newest  *listEntry
	count           int
}

// add adds a message, which then belongs to the lists.
func (s *messageLists) add(m *message) *listEntry {
	sh := s.byOwner[m.owner]
	if sh == nil {
		sh = &phoneList{activity: activity{address: m.owner}}
		s.byOwner[m.owner] = sh
	}
	n := &listEntry{message: m, older: s.newest}
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
	if sh.count > s.perOwner {
		s.drop(sh)
	}
	if s.count > s.total {
		s.drop(s.byOwner[s.oldest.owner]) // the oldest of all is also the oldest of its owner
	}
	return n
}

// drop removes the oldest message of a list.
func (s *messageLists) drop(sh *phoneList) {
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

// forEach calls fn for each message of an owner, oldest first.
func (s *messageLists) forEach(owner string, fn func(*phoneList, *listEntry)) {
	sh := s.byOwner[owner]
	if sh == nil {
		return
	}
	for n := sh.head; n != nil; n = n.next {
		fn(sh, n)
	}
}
