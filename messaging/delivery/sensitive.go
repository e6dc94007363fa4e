package delivery

import (
	"encoding/json"

	"example.com/griot/messaging/message"
)

// sealContent encrypts a sensitive message's content. The content of a simulated message is not stored.
func (s *Service) sealContent(m *message.Message) error {
	if !m.Sensitive || m.Status == message.Sandbox {
		return nil
	}
	plain, err := json.Marshal(m.Content)
	if err != nil {
		return err
	}
	m.Sealed = s.contentBox.Seal(plain, m.ID)
	return nil
}

// openContent decrypts the content of a message that was read from the database.
func (s *Service) openContent(m *message.Message) error {
	if m.Sealed == "" {
		return nil
	}
	plain, err := s.contentBox.Open(m.Sealed, m.ID)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, &m.Content)
}
