// Package book reads the Markdown files of the documentation as a book: [Book.Contents] lists its parts, [Book.Page] is
// one file as HTML, and [Book.Search] finds the sections that have some words.
//
// The contents are README.md: each heading is a part, and each item of its lists is an entry. People also read the same
// files on a code host, so links between them name files, which this package converts to URLs of pages. Links to files
// that only the repository has are removed. A file is read and rendered on its first use.
//
// A page must be plain Markdown. Comments are removed, and <a id="…"></a> is an anchor. Any other HTML is an error,
// because the pages' content security policy would prevent it from working as it does elsewhere. A picture is an SVG
// file, which becomes part of the page without its styles: css/book.css colors it by the page's theme.
package book
