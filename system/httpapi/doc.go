// Package httpapi speaks HTTP for the booking system: routes, strict bodies, one error-to-HTTP table, openapi.yaml and the operator's routes.
//
// It decides nothing about seats. Handlers read a request, call one thing, and return its answer or its error; problem.go maps every error.
// Only package system may import it.
//
// # Decision
//
// Problem types are bare names ("sold-out"), which RFC 9457 allows as relative references: a name that is compared, not an address that is fetched.
// A client that takes the last path segment of type keeps working if they ever become addresses.
// Retry-After is whole seconds, rounded up, as HTTP wants it; retry_after_ms in the body has the precision.
//
// Bodies are read by a parser of one's own over encoding/json's tokens, because encoding/json takes "Quantity" for "quantity", the last of two equal
// fields, and null for anything. A body that two readers could understand differently is refused.
//
// The state of a sale is remembered for 100 ms at most, to answer polls without a query and to turn away the crowd before the opening without
// touching gate or ledger. What is remembered only refuses what is scheduled, paused or closed, and never a retry of a committed intent; it admits nothing.
package httpapi
