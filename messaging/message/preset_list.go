package message

import (
	"maps"
	"slices"
)

// A PresetInfo describes a preset for users.
type PresetInfo struct {
	Name               string
	Required, Optional []string // its variables
	Texts              map[string]PresetText
}

// A PresetText is the text of a preset in one language. {{name}} is a variable. The part between [[ and ]] is left
// out if one of its variables is missing.
type PresetText struct{ Text, Subject string }

// List describes the presets, sorted by name.
func (p Presets) List() []PresetInfo {
	out := make([]PresetInfo, 0, len(p))
	for _, name := range slices.Sorted(maps.Keys(p)) {
		one := p[name]
		out = append(out, PresetInfo{Name: name, Required: one.Required, Optional: one.Optional, Texts: map[string]PresetText{"fr": {one.FR, one.SubjectFR}, "en": {one.EN, one.SubjectEN}}})
	}
	return out
}
