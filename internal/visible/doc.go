// Package visible finds characters that people can't see, or that change the visual order of others. Names with them
// are refused, and text from other sources is shown with escapes.
package visible
