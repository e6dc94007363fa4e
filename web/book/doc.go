// Package book reads the Markdown files of the documentation as a book: [Book.Contents] lists its parts, [Book.Page] is one
// file as HTML, and [Book.Search] finds the sections that have some words.
//
// The contents are README.md: each heading is a part, each item of its lists an entry. The same files are read on a code host,
// so links between them are those of files, and become addresses of pages here. What only the
// repository has is no link. Nothing is read or rendered before somebody asks for it.
//
// A page must be plain Markdown: comments are left out, <a id="…"></a> is a place to lead to, and any other HTML is an error, because the pages' content security
// policy would not let it work as it does elsewhere. A picture is an SVG file, which becomes part of the page without its
// styles: css/book.css colors it by the page's theme.
package book
