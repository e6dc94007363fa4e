package mcp

import (
	"encoding/json"
	"slices"

	"example.com/griot/messaging/account"
)

// A toolset is the tools of a key with their lists.
type toolset struct {
	tools      []tool
	list       json.RawMessage // the result of tools/list in the modern revision
	legacyList json.RawMessage // the result of tools/list in the legacy revisions
}

// toolsOf returns the tools of a caller's key, which all methods use. Each combination of groups is built once.
func (s *Server) toolsOf(c *account.Caller) *toolset {
	if c.Tools == 0 {
		return &s.usual
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.sets[c.Tools]
	if set == nil {
		built := s.newToolset(c.Tools)
		set = &built
		s.sets[c.Tools] = set
	}
	return set
}

// newToolset returns the tools of a key with the given groups. A tool that isn't in it is unknown.
func (s *Server) newToolset(groups account.Tools) toolset {
	var set toolset
	for i := range s.all {
		if t := &s.all[i]; groups.Has(t.of) && (t.until == 0 || !groups.Has(t.until)) {
			set.tools = append(set.tools, *t)
		}
	}
	set.list = encode(struct {
		common
		cached
		Tools []tool `json:"tools"`
	}{s.results.common, keep(), set.tools})
	set.legacyList = encode(map[string]any{"tools": set.tools})
	return set
}

// find returns a tool, or nil.
func (s *toolset) find(name string) *tool {
	if i := slices.IndexFunc(s.tools, func(t tool) bool { return t.Name == name }); i >= 0 {
		return &s.tools[i]
	}
	return nil
}
