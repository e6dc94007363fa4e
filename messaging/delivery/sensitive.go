package delivery

import (
	"encoding/json"

	"griot/messaging/message"
)

// conceal seals a sensitive message's content until it has ended.
// Of one that is only simulated nothing is kept.
func (s *Service) conceal(m *message.Message) error {
	if !m.Sensitive || m.Status == message.Sandbox {
		return nil
	}
	plain, err := json.Marshal(m.Content)
	if err != nil {
		return err
	}
	m.Sealed = s.box.Seal(plain, m.ID)
	return nil
}

// reveal opens what conceal sealed, for a message that was read back.
func (s *Service) reveal(m *message.Message) error {
	if m.Sealed == "" {
		return nil
	}
	plain, err := s.box.Open(m.Sealed, m.ID)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, &m.Content)
}
