package arch_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// The limits of docs/style.md that can be counted.
const (
	maxMeanWords      = 16.0 // words per sentence, on average
	longSentence      = 25   // words
	maxLongPercent    = 8.0  // percentage of long sentences
	maxParagraphWords = 80
)

// bannedPhrases are phrases that no page uses, with their replacements.
var bannedPhrases = []struct{ phrase, write string }{
	{`whoever`, "name the role: the operator, the owner, anyone who"},
	{`who(ever)? runs (this|the|your) (service|griot)`, "the operator"},
	{`who (asks|comes|is signed in)`, "the caller; the signed-in user"},
	{`what (was|is) (accepted|answered|sent|refused|stored|said|left|waiting)`, "accepted messages; responses; the rest"},
	{`what (waits|waited|became of|is left of)`, "queued messages; the status; the remaining"},
	{`an? \w+ of (yours|theirs)`, "your number; their number"},
	{`of (your|their|its|our) own`, "your own; a separate"},
	{`that there (is|are) not`, "fictional; unknown; missing"},
	{`there is no such`, "doesn't exist; isn't found"},
	{`parted by`, "separated by"},
	{`with a head`, "with a header row"},
	{`borders are kept`, "two rules apply"},
	{`in the midst of`, "during"},
	{`(take|takes|took|taken) back`, "cancel; withdraw; revoke"},
	{`leave it at that`, "you don't need to do anything"},
	{`good for nothing|worth nothing`, "invalid; no longer valid"},
	{`ought to`, "should"},
	{`for its sake|gateway's sake`, "because of"},
	{`in its place|in the place of`, "instead of; replaces"},
	{`since when|until when`, "the start time; the end time"},
	{`told apart`, "distinguished"},
	{`(hand|hands|handed|handing) (it |them )?over`, "submit to the gateway"},
	{`anew|afresh`, "again"},
	{`the way (to|back)`, "the route; the redirect; the steps"},
	{`how far it is`, "the progress"},
	{`for good`, "permanently"},
	{`code to type`, "a pairing code"},
	{`units? (of|for) systemd`, "systemd unit"},
	{`lists? of (its |their )?parts`, "SBOM"},
	{`called wrongly`, "used incorrectly"},
	{`how \w+( \w+)? does`, "the health of; the status of"},
	{`under way`, "in progress"},
	{`by itself`, "automatically; on its own"},
	{`(some|no|every)body`, "someone; no one; everyone"},
	{`at present`, "now"},
	{`but for`, "except for"},
	{`nothing but`, "only"},
	{`any more`, "no longer"},
	{`mend(s|ed|ing)?`, "fix"},
	{`for ever`, "permanently"},
	{`single pages?`, "single-page application"},
	{`hears?`, "receives; learns of"},
	{`switch(ed|es)? (it |them )?(on|off)`, "enable; disable"},
	{`beside`, "next to; in addition to"},
	{`rests`, "pauses"},
	{`without a word`, "silently"},
	{`burns?|burned`, "invalidate"},
	{`sweeps?|swept`, "delete after; cleanup"},
}

// sentenceEnd matches the end of a sentence inside a block of text.
var sentenceEnd = regexp.MustCompile(`[.!?][)"”*]*\s+`)

// clauseHeading matches a heading that is a clause. "How a login works" is allowed.
var clauseHeading = regexp.MustCompile(`^(Who|What|How|Where|When|Why|Which|Whether)\b`)

// prose is the measured properties of a file.
type prose struct {
	sentences []string
	words     int
	long      int
	findings  []string // the longest paragraphs and the banned phrases, with their line
}

func (p *prose) mean() float64    { return float64(p.words) / float64(max(1, len(p.sentences))) }
func (p *prose) percent() float64 { return 100 * float64(p.long) / float64(max(1, len(p.sentences))) }

// faults returns the limits that the file exceeds. The contract and the decisions are not guides, so their
// sentences are not limited.
func (p *prose) faults(name string) []string {
	found := slices.Clone(p.findings)
	if strings.HasPrefix(name, "docs/contract/") || strings.HasPrefix(name, "docs/decisions/") {
		return found
	}
	if p.mean() > maxMeanWords {
		found = append(found, fmt.Sprintf("%s: %.1f words per sentence, want at most %.0f", name, p.mean(), maxMeanWords))
	}
	if p.percent() > maxLongPercent {
		found = append(found, fmt.Sprintf("%s: %.1f %% of sentences have more than %d words, want at most %.0f %%", name, p.percent(), longSentence, maxLongPercent))
	}
	return found
}

// countProse reads the text of a Markdown file. Code, tables, and headings count only for phrases, and code not at all.
func countProse(name string, source []byte) *prose {
	p := &prose{}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	_ = ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.FirstChild() == nil || n.FirstChild().Type() != ast.TypeInline {
			return ast.WalkContinue, nil
		}
		block := strings.TrimSpace(textOf(n, source))
		at := name
		if n.Lines().Len() > 0 {
			at = fmt.Sprintf("%s:%d", name, 1+strings.Count(string(source[:n.Lines().At(0).Start]), "\n"))
		}
		for _, banned := range bannedPatterns {
			if found := banned.match.FindString(block); found != "" {
				p.findings = append(p.findings, fmt.Sprintf("%s: %q: write %s", at, found, banned.write))
			}
		}
		if n.Kind() == ast.KindHeading && clauseHeading.MatchString(block) && !strings.HasSuffix(block, " works") {
			p.findings = append(p.findings, fmt.Sprintf("%s: the heading %q is a clause: write an imperative or a noun phrase", at, block))
		}
		if n.Kind() != ast.KindParagraph && n.Kind() != ast.KindTextBlock {
			return ast.WalkSkipChildren, nil
		}
		if words := len(strings.Fields(block)); words > maxParagraphWords && !strings.HasPrefix(name, "docs/decisions/") {
			p.findings = append(p.findings, fmt.Sprintf("%s: a paragraph of %d words, want at most %d", at, words, maxParagraphWords))
		}
		for _, sentence := range sentenceEnd.Split(block, -1) {
			words := len(strings.Fields(sentence))
			if words == 0 {
				continue
			}
			p.sentences = append(p.sentences, fmt.Sprintf("%d words, %s: %s", words, at, sentence))
			p.words += words
			if words > longSentence {
				p.long++
			}
		}
		return ast.WalkSkipChildren, nil
	})
	return p
}

// textOf returns the text of a block. A code span counts as one word.
func textOf(block ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan:
			if entering {
				out.WriteString("`code`")
			}
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			if entering {
				out.WriteString("`address`")
			}
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					out.WriteByte(' ')
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

type bannedPattern struct {
	match *regexp.Regexp
	write string
}

var bannedPatterns = func() (all []bannedPattern) {
	for _, b := range bannedPhrases {
		all = append(all, bannedPattern{regexp.MustCompile(`(?i)\b(?:` + b.phrase + `)\b`), b.write})
	}
	return all
}()

// proseFiles returns the Markdown files that docs/style.md applies to: those of docs/, and the README and its siblings.
// The changelog is excluded, because it quotes old texts.
func proseFiles(t *testing.T) []string {
	t.Helper()
	files := []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"}
	err := fs.WalkDir(repository, "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v: are they still seen?", len(files), err)
	}
	return files
}

// Every page meets the countable part of docs/style.md. With -v, it prints the figures (make prose).
func TestProse(t *testing.T) {
	files := proseFiles(t)
	var figures, sentences []string
	for _, name := range files {
		p := countProse(name, readFile(t, name))
		faults := p.faults(name)
		for _, f := range faults {
			t.Error(f)
		}
		figures = append(figures, fmt.Sprintf("%5.1f words per sentence, %4.1f %% long, %3d faults  %s", p.mean(), p.percent(), len(faults), name))
		if !strings.HasPrefix(name, "docs/decisions/") {
			sentences = append(sentences, p.sentences...)
		}
	}
	words := func(s string) (n int) { _, _ = fmt.Sscan(s, &n); return n }
	slices.SortStableFunc(sentences, func(a, b string) int { return words(b) - words(a) })
	t.Logf("%d files\n%s\nthe longest sentences:\n%s", len(files), strings.Join(figures, "\n"), strings.Join(sentences[:20], "\n"))
}

func TestProse_IsCounted(t *testing.T) {
	long := strings.Repeat("word ", 26) + "end. "
	for what, c := range map[string]struct {
		source string
		faults int
	}{
		"a plain page":               {"# Whole\n\nShort. You send it (now). See `what was accepted`.\n\n    whoever beside\n", 0},
		"a banned phrase":            {"# A\n\nThis is for whoever\nruns it.\n", 1},
		"a banned phrase in a table": {"# A\n\n| a |\n|---|\n| beside it |\n", 1},
		"a banned phrase in a title": {"# Nobody\n", 1},
		"a phrase across lines":      {"# A\n\nIt works by\nitself.\n", 1},
		"a long sentence":            {"# A\n\n" + long + "\n", 2},
		"one long sentence of many":  {"# A\n\n" + long + "\n\n" + strings.Repeat("- It is short.\n", 20), 0},
		"a long paragraph":           {"# A\n\n" + strings.Repeat("It is short. ", 27) + "\n", 1},
		"a long item":                {"# A\n\n- " + strings.Repeat("It is short. ", 27) + "\n", 1},
	} {
		if got := countProse("a.md", []byte(c.source)).faults("a.md"); len(got) != c.faults {
			t.Errorf("%s: got %d faults, want %d: %v", what, len(got), c.faults, got)
		}
	}
	if got := countProse("docs/contract/a.md", []byte("# A\n\n"+long)).faults("docs/contract/a.md"); len(got) != 0 {
		t.Errorf("a contract: got %v, want none", got)
	}
}

// The limits of the changelog.
const (
	maxEntryCharacters = 200
	maxEntryWords      = longSentence
	maxEntries         = 30 // of a release; a page has all of them
)

// nextRelease finds the title of the release that isn't published yet, with its version.
var nextRelease = regexp.MustCompile(`\n## ([0-9.]+) - Unreleased\n`)

// The changelog's next release has highlights first, then its most important changes. A page has all changes. Both have
// one line per change in the groups of docs/style.md.
func TestChangelog(t *testing.T) {
	const file = "CHANGELOG.md"
	all := readFile(t, file)
	at := nextRelease.FindSubmatchIndex(all)
	if at == nil {
		t.Fatal("the changelog has no next release")
	}
	version := string(all[at[2]:at[3]])
	next, _, _ := strings.Cut(string(all[at[1]:]), "\n## ")
	entries := changes(t, file, next, "### ", 0)
	if n := entries[0]; n < 3 || n > 5 {
		t.Errorf("%s: %d highlights, want 3 to 5", file, n)
	}
	sum := 0
	for _, n := range entries {
		sum += n
	}
	if sum > maxEntries {
		t.Errorf("%s: %d entries, want at most %d", file, sum, maxEntries)
	}
	page := "docs/changes-" + version + ".md"
	changes(t, page, string(readFile(t, page)), "## ", 1)
}

// changes counts the entries of a text by group. The text has groups from the first one on, after an introduction.
func changes(t *testing.T, file, text, title string, first int) (entries []int) {
	t.Helper()
	order := []string{"Highlights", "Breaking", "Security", "Added", "Changed", "Fixed"}
	entries = make([]int, len(order))
	group := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, title); ok {
			at := slices.Index(order, name)
			if at <= group || at < first {
				t.Errorf("%s: %q is unknown or out of order, want %v", file, name, order[first:])
			}
			group = at
			continue
		}
		if line == "" || group < 0 {
			continue
		}
		entry, ok := strings.CutPrefix(line, "- ")
		if words := len(strings.Fields(entry)); !ok || len([]rune(line)) > maxEntryCharacters || words > maxEntryWords {
			t.Errorf("%s: %q isn't a line of at most %d characters and %d words", file, line, maxEntryCharacters, maxEntryWords)
		}
		for _, banned := range bannedPatterns {
			if found := banned.match.FindString(entry); found != "" {
				t.Errorf("%s: %q: %q: write %s", file, line, found, banned.write)
			}
		}
		entries[group]++
	}
	return entries
}
