// Package quota counts what an account has used of a UTC day, and what a
// recipient has been sent (document 2 §1 and §7). Each count is one conditional
// statement, so that a stampede takes exactly what there is.
package quota
