package delivery

// Failpoints lists the points at which [Options.Failpoint] is called: before and after each write and each call of a gateway.
func Failpoints() []string {
	var names []string
	for _, what := range []string{"accept", "batch", "begin", "call", "apply", "receipt"} {
		names = append(names, what+".before", what+".after")
	}
	return names
}

func (s *Service) failpoint(name string) {
	if s.o.Failpoint != nil {
		s.o.Failpoint(name)
	}
}

// withFailpoints runs a write between its two failpoints. It calls the second only if the write succeeds.
func (s *Service) withFailpoints(what string, write func() error) error {
	s.failpoint(what + ".before")
	err := write()
	if err == nil {
		s.failpoint(what + ".after")
	}
	return err
}
