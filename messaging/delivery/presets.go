package delivery

import "example.com/griot/messaging/message"

// Presets describes the prepared texts.
func (s *Service) Presets() []message.PresetInfo { return s.o.Presets.List() }
