// Package i18n holds every sentence that a person reads on a page or in a
// message, in French and in English, and chooses between the two.
//
// A text has a key ("waiting.warning"); [Lang.T] says it. The catalogues fr.json
// and en.json are embedded and never change while the program runs; a test holds
// that they have the same keys and that each pair of texts takes the same
// arguments. French is spoken when nothing else is asked for.
package i18n
