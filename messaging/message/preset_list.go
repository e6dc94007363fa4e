package message

import (
	"maps"
	"slices"
)

// PresetInfo describes a preset for who wants to use it.
type PresetInfo struct {
	Name               string
	Required, Optional []string // its variables
	Texts              map[string]PresetText
}

// PresetText is what a preset says in a language. {{name}} stands for a variable, and what is between [[ and ]] is left
// out when a variable in it is missing.
type PresetText struct{ Text, Subject string }

// List describes the presets, in the order of their names.
func (p Presets) List() []PresetInfo {
	out := make([]PresetInfo, 0, len(p))
	for _, name := range slices.Sorted(maps.Keys(p)) {
		one := p[name]
		out = append(out, PresetInfo{Name: name, Required: one.Required, Optional: one.Optional, Texts: map[string]PresetText{"fr": {one.FR, one.SubjectFR}, "en": {one.EN, one.SubjectEN}}})
	}
	return out
}
