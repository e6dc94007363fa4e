// Package metricstest fills metrics, and reads what a scrape and the dashboard have of them.
package metricstest
