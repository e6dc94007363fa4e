// Package metricstest fills metrics, and reads them from a scrape and from the dashboard.
package metricstest
