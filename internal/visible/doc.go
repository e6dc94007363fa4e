// Package visible finds characters that people can't see, or that change the order in which they see others: in names, which
// refuse them, and in text from elsewhere, which is shown with escapes.
package visible
