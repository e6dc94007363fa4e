package httpgate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"example.com/griot/gateway/internal/setting"
)

// Presets lists the names of the presets in a directory.
func Presets(files fs.FS) []string {
	names, err := fs.Glob(files, "presets/*.json")
	if err != nil {
		return nil
	}
	for i, f := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(f, "presets/"), ".json")
	}
	return names
}

// Merge parses settings over their preset. Maps are merged by key, rules are replaced as a whole, and error rules
// come before those of the preset. S is a driver's settings, and common returns the part of them that belongs to this
// package.
func Merge[S any](raw json.RawMessage, files fs.FS, common func(*S) *Settings) (*S, error) {
	mine := new(S)
	if err := setting.Parse(raw, mine); err != nil {
		return nil, err
	}
	own := common(mine)
	if own.Preset == "" {
		return mine, nil
	}
	preset, err := fs.ReadFile(files, "presets/"+own.Preset+".json")
	if err != nil {
		return nil, fmt.Errorf("settings: preset: there are %s", strings.Join(Presets(files), ", "))
	}
	merged := new(S)
	if err := setting.Parse(preset, merged); err != nil {
		return nil, fmt.Errorf("preset %s: %w", own.Preset, err)
	}
	base := common(merged)
	before := *base
	base.Success, base.ID, base.ErrorCode, base.Duplicate, base.Errors = nil, nil, nil, nil, nil
	if own.Form != nil || own.JSON != nil || own.XML != "" || own.Text != "" {
		base.dropBodiesUnlike(own)
	}
	if own.URL != "" {
		base.Probe = nil // it is for another URL
	}
	if own.Receipts.Enabled() {
		base.Receipts.useScheme(own.Receipts.Auth)
	}
	if err := setting.Parse(raw, merged); err != nil {
		return nil, err
	}
	base.Success, base.ID, base.ErrorCode = cmp.Or(base.Success, before.Success), cmp.Or(base.ID, before.ID), cmp.Or(base.ErrorCode, before.ErrorCode)
	base.Duplicate, base.Errors = cmp.Or(base.Duplicate, before.Duplicate), append(base.Errors, before.Errors...)
	return merged, nil
}

// dropBodiesUnlike removes the preset's body if the settings have a body of another type.
func (s *Settings) dropBodiesUnlike(other *Settings) {
	if other.Form == nil {
		s.Form = nil
	}
	s.JSON, s.XML, s.Text = nil, "", ""
}
