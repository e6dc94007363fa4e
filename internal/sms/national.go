package sms

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Tables are the national language tables of a text in the GSM alphabet, by their number in 3GPP TS 23.038
// §6.2.1.2.4. Zero and unknown numbers are the tables of the default alphabet.
type Tables struct {
	Locking byte // replaces the basic table
	Single  byte // replaces the extension table
}

// Decode decodes octets that contain one septet of the GSM alphabet each. An escape followed by a code without a
// character is the character of the locking table, as TS 23.038 requires. Octets above 127, and codes without a
// character, become U+FFFD.
func (t Tables) Decode(b []byte) string {
	all := decoders()
	locking, single := &all[known(t.Locking)].locking, &all[known(t.Single)].single
	var text strings.Builder
	text.Grow(len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == escape {
			if i++; i == len(b) {
				break
			}
			if c = b[i]; c == escape {
				text.WriteByte(' ') // reserved for a third table, shown as a space
				continue
			}
			if c < codes && single[c] != 0 {
				text.WriteRune(single[c])
				continue
			}
		}
		if c >= codes {
			text.WriteRune(utf8.RuneError)
			continue
		}
		text.WriteRune(locking[c])
	}
	return text.String()
}

const codes = 128 // of a table

// decoder has the characters of a language's tables, by their codes. In single, 0 is a code without a character.
type decoder struct{ locking, single [codes]rune }

// decoders returns the decoders of all languages, which it makes at the first call.
var decoders = sync.OnceValue(func() *[urdu + 1]decoder {
	var all [urdu + 1]decoder
	for language := range byte(len(all)) {
		for c := range byte(codes) {
			all[language].locking[c], all[language].single[c] = lockingOf(language, c), singleOf(language, c)
		}
	}
	return &all
})

// known returns a language that has tables.
func known(language byte) byte {
	if language > urdu {
		return 0
	}
	return language
}

// lockingOf returns the character of a code of a locking table.
func lockingOf(language, c byte) rune {
	if language == urdu {
		return []rune(urduLetters)[c]
	}
	if s, ok := scripts[language]; ok {
		return s.letter(c)
	}
	if r := find(latinLocking[language], c); r != 0 {
		return r
	}
	if c < ' ' {
		return []rune(lowTable)[c]
	}
	return high(c)
}

// singleOf returns the character of a code of a single shift table, or 0 if it has none.
func singleOf(language, c byte) rune {
	if runs, ok := indicSingle[language]; ok {
		return cmp.Or(find(runs, c), find(indicMarks, c))
	}
	return cmp.Or(find(latinSingle[language], c), unextended(c))
}

// Languages of tables.
const (
	turkish    = 1
	spanish    = 2
	portuguese = 3
	bengali    = 4
	gujarati   = 5
	hindi      = 6
	kannada    = 7
	malayalam  = 8
	oriya      = 9
	punjabi    = 10
	tamil      = 11
	telugu     = 12
	urdu       = 13
)

// run is characters with consecutive codes.
type run struct {
	code byte
	text string
}

// find returns the character of a code, or 0.
func find(runs []run, c byte) rune {
	for _, run := range runs {
		if c < run.code {
			continue
		}
		if n := int(c - run.code); n < utf8.RuneCountInString(run.text) {
			return []rune(run.text)[n]
		}
	}
	return 0
}

// latinLocking are the differences from the basic table (TS 23.038 §A.3.1, §A.3.3).
var latinLocking = map[byte][]run{
	turkish: {{0x04, "€"}, {0x07, "ı"}, {0x0b, "Ğğ"}, {0x1c, "Şş"}, {0x40, "İ"}, {0x60, "ç"}},
	portuguese: {
		{0x04, "ê"},
		{0x06, "úíóç"},
		{0x0b, "Ôô"},
		{0x0e, "Áá"},
		{0x12, `ªÇÀ∞^\€Ó|`},
		{0x1c, "ÂâÊ"},
		{0x24, "º"},
		{0x40, "Í"},
		{0x5b, "ÃÕÚÜ§~"},
		{0x7b, "ãõ`"},
	},
}

// latinSingle are the characters of single shift tables that the extension table lacks (TS 23.038 §A.2.1 to §A.2.3).
var latinSingle = map[byte][]run{
	turkish: {{0x47, "Ğ"}, {0x49, "İ"}, {0x53, "Ş"}, {0x63, "ç"}, {0x67, "ğ"}, {0x69, "ı"}, {0x73, "ş"}},
	spanish: {{0x09, "ç"}, {0x41, "Á"}, {0x49, "Í"}, {0x4f, "Ó"}, {0x55, "Ú"}, {0x61, "á"}, {0x69, "í"}, {0x6f, "ó"}, {0x75, "ú"}},
	portuguese: {
		{0x05, "ê"},
		{0x09, "ç"},
		{0x0b, "Ôô"},
		{0x0e, "Áá"},
		{0x12, "ΦΓ^ΩΠΨΣΘ"},
		{0x1f, "Ê"},
		{0x41, "À"},
		{0x49, "Í"},
		{0x4f, "Ó"},
		{0x55, "Ú"},
		{0x5b, "ÃÕ"},
		{0x61, "Â"},
		{0x69, "í"},
		{0x6f, "ó"},
		{0x75, "ú"},
		{0x7b, "ãõ"},
		{0x7f, "â"},
	},
}

// script is a script of India, whose letters have the same order in each block of Unicode and in each locking table
// (TS 23.038 §A.3.4 to §A.3.12).
type script struct {
	block rune
	last  string // the characters of the codes 60, and 7B to 7F
}

var scripts = map[byte]script{
	bengali:   {0x0980, "\u09ce\u09d7\u09dc\u09dd\u09f0\u09f1"},
	gujarati:  {0x0a80, "\u0ad0\u0ae0\u0ae1\u0ae2\u0ae3\u0af1"},
	hindi:     {0x0900, "\u0950\u0972\u097b\u097c\u097e\u097f"},
	kannada:   {0x0c80, "\u0cd5\u0cd6\u0ce0\u0ce1\u0ce2\u0ce3"},
	malayalam: {0x0d00, "\u0d57\u0d60\u0d61\u0d62\u0d63\u0d79"},
	oriya:     {0x0b00, "\u0b56\u0b57\u0b60\u0b61\u0b62\u0b63"},
	punjabi:   {0x0a00, "\u0a51\u0a70\u0a71\u0a72\u0a73\u0a74"},
	tamil:     {0x0b80, "\u0bd0\u0bd7\u0bf0\u0bf1\u0bf2\u0bf9"},
	telugu:    {0x0c00, "\u0c55\u0c56\u0c60\u0c61\u0c62\u0c63"},
}

// indicOrder are the codes of letters, from the first to the last, and the place of the first one in its block.
var indicOrder = []struct{ from, to, first byte }{
	{0x00, 0x02, 0x01},
	{0x03, 0x09, 0x05},
	{0x0b, 0x0c, 0x0c},
	{0x0e, 0x1a, 0x0e},
	{0x1c, 0x1f, 0x1b},
	{0x22, 0x27, 0x1f},
	{0x2a, 0x2b, 0x25},
	{0x2d, 0x2d, 0x27},
	{0x2f, 0x2f, 0x28},
	{0x3c, 0x3e, 0x29},
	{0x40, 0x4d, 0x2c},
	{0x4e, 0x5f, 0x3c},
}

// letter returns the character of a code of the script's locking table.
func (s script) letter(c byte) rune {
	for _, o := range indicOrder {
		if c >= o.from && c <= o.to {
			r := s.block + rune(o.first+c-o.from)
			if !unicode.IsGraphic(r) { // the script lacks this letter
				return utf8.RuneError
			}
			return r
		}
	}
	last := []rune(s.last)
	switch {
	case c == 0x60:
		return last[0]
	case c >= 0x7b:
		return last[c-0x7a]
	case c == 0x28:
		return ')'
	case c == 0x29:
		return '('
	}
	return rune(c) // ASCII
}

// indicMarks are the characters that the single shift tables of the scripts of India and of Urdu share.
var indicMarks = []run{
	{0x00, `@£$¥¿"¤%&'`}, {0x0a, "\f*+"}, {0x0e, "-/<=>¡^¡_#*"}, {0x28, "{}"}, {0x2f, `\`}, {0x3c, "[~]"}, {0x40, "|ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {0x65, "€"},
}

const dandas = "\u0964\u0965"

// indicSingle are the other characters of these tables (TS 23.038 §A.2.4 to §A.2.13).
var indicSingle = map[byte][]run{
	bengali: {
		{0x19, "\u09e6\u09e7"},
		{0x1c, "\u09e8\u09e9\u09ea\u09eb\u09ec\u09ed\u09ee\u09ef\u09df\u09e0\u09e1\u09e2"},
		{0x2a, "\u09e3\u09f2\u09f3\u09f4\u09f5"},
		{0x30, "\u09f6\u09f7\u09f8\u09f9\u09fa"},
	},
	gujarati: {{0x19, dandas}, {0x1c, "\u0ae6\u0ae7\u0ae8\u0ae9\u0aea\u0aeb\u0aec\u0aed\u0aee\u0aef"}},
	hindi: {
		{0x19, dandas},
		{0x1c, "\u0966\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f\u0951\u0952"},
		{0x2a, "\u0953\u0954\u0958\u0959\u095a"},
		{0x30, "\u095b\u095c\u095d\u095e\u095f\u0960\u0961\u0962\u0963\u0970\u0971"},
	},
	kannada: {{0x19, dandas}, {0x1c, "\u0ce6\u0ce7\u0ce8\u0ce9\u0cea\u0ceb\u0cec\u0ced\u0cee\u0cef\u0cde\u0cf1"}, {0x2a, "\u0cf2"}},
	malayalam: {
		{0x19, dandas},
		{0x1c, "\u0d66\u0d67\u0d68\u0d69\u0d6a\u0d6b\u0d6c\u0d6d\u0d6e\u0d6f\u0d70\u0d71"},
		{0x2a, "\u0d72\u0d73\u0d74\u0d75\u0d7a"},
		{0x30, "\u0d7b\u0d7c\u0d7d\u0d7e\u0d7f"},
	},
	oriya: {
		{0x19, dandas},
		{0x1c, "\u0b66\u0b67\u0b68\u0b69\u0b6a\u0b6b\u0b6c\u0b6d\u0b6e\u0b6f\u0b5c\u0b5d"},
		{0x2a, "\u0b5f\u0b70\u0b71"},
	},
	punjabi: {
		{0x19, dandas},
		{0x1c, "\u0a66\u0a67\u0a68\u0a69\u0a6a\u0a6b\u0a6c\u0a6d\u0a6e\u0a6f\u0a59\u0a5a"},
		{0x2a, "\u0a5b\u0a5c\u0a5e\u0a75"},
	},
	tamil: {
		{0x19, dandas},
		{0x1c, "\u0be6\u0be7\u0be8\u0be9\u0bea\u0beb\u0bec\u0bed\u0bee\u0bef\u0bf3\u0bf4"},
		{0x2a, "\u0bf5\u0bf6\u0bf7\u0bf8\u0bfa"},
	},
	telugu: {
		{0x1c, "\u0c66\u0c67\u0c68\u0c69\u0c6a\u0c6b\u0c6c\u0c6d\u0c6e\u0c6f\u0c58\u0c59"},
		{0x2a, "\u0c78\u0c79\u0c7a\u0c7b\u0c7c"},
		{0x30, "\u0c7d\u0c7e\u0c7f"},
	},
	urdu: {
		{0x19, "\u0600\u0601"},
		{0x1c, "\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9\u060c\u060d"},
		{0x2a, "\u060e\u060f\u0610\u0611\u0612"},
		{0x30, "\u0613\u0614\u061b\u061f\u0640\u0652\u0658\u066b\u066c\u0672\u0673\u06cd"},
		{0x3f, "\u06d4"},
	},
}

// urduLetters is the locking table of Urdu (TS 23.038 §A.3.13). U+FFFF is the placeholder of the escape.
const urduLetters = "\u0627\u0622\u0628\u067b\u0680\u067e\u06a6\u062a\u06c2\u067f\n\u0679\u067d\r\u067a\u067c" +
	"\u062b\u062c\u0681\u0684\u0683\u0685\u0686\u0687\u062d\u062e\u062f\uffff\u068c\u0688\u0689\u068a" +
	" !\u068f\u068d\u0630\u0631\u0691\u0693)(\u0699\u0632,\u0696.\u0698" +
	"0123456789:;\u069a\u0633\u0634?" +
	"\u0635\u0636\u0637\u0638\u0639\u0641\u0642\u06a9\u06aa\u06ab\u06af\u06b3\u06b1\u0644\u0645\u0646" +
	"\u06ba\u06bb\u06bc\u0648\u06c4\u06d5\u06c1\u06be\u0621\u06cc\u06d0\u06d2\u064d\u0650\u064f\u0657" +
	"\u0654abcdefghijklmno" +
	"pqrstuvwxyz\u0655\u0651\u0653\u0656\u0670"
