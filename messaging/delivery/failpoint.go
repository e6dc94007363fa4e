package delivery

// Failpoints lists the points at which [Options.Failpoint] is called: before and after each write and each call of a gateway.
func Failpoints() []string {
	var names []string
	for _, what := range []string{"accept", "batch", "begin", "call", "apply", "receipt"} {
		names = append(names, what+".before", what+".after")
	}
	return names
}

// failpoint is called before and after each write, and after only those that succeed.
func (s *Service) failpoint(name string) {
	if s.o.Failpoint != nil {
		s.o.Failpoint(name)
	}
}
