package virtual

import "example.com/griot/internal/db"

// DB returns the file's database.
func DB(g *Gateway) *db.DB {
	f, _ := g.store.(*file)
	return f.db
}
