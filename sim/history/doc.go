// Package history keeps the requests of a run on disk: fixed-size records while it runs, readable up to the last write after a kill -9, and Parquet afterwards.
package history
