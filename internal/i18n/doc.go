// Package i18n holds every sentence that a person reads on a page or in a message, in French and in English, and
// chooses between the two.
//
// A text has a key ("waiting.warning"); [Lang.T] returns it. The catalogs are a directory of texts for each language,
// with a file for each group of pages. They are embedded and never change while the program runs. A test checks that
// they have the same keys and that each pair of texts takes the same arguments. French is the default.
package i18n
