// Package backend runs the Postgres and Redis of a run as docker containers, local processes or given addresses, and breaks them on demand.
package backend
