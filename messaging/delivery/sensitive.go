package delivery

import (
	"encoding/json"

	"example.com/griot/messaging/message"
)

// sealContent seals a sensitive message's content. Of a simulated message no content is stored.
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

// openContent opens the content that sealContent sealed, of a message that was read back.
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
