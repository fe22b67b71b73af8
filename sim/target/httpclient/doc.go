// Package httpclient speaks to a booking system over HTTP as its visitors do, and says exactly what a visitor can know afterwards.
//
// One Client serves all visitors of a run. It maps every answer and every failure to an outcome by the one table of the protocol: what certainly did
// not happen is failed, what may have happened is unknown, and a success without an id or a version is no success. It retries nothing, follows
// no redirect and keeps no cookies. Anyone in sim may import it.
//
// Decision: HTTP is written and read by fasthttp, connections are kept here. fasthttp's own client does not tell whether a byte of the request
// had left when a call failed, and that is the difference between failed and unknown.
//
// Decision: dead idle connections. Before a connection is used again it is looked at without waiting; when the server has closed it meanwhile, it
// is dropped and another one taken. Should the close come between that look and the write, then the write decides: if it could not hand a
// single byte to the system, nothing was sent and a new connection is dialled within the same timeout, which is the choice of a connection and
// no retry. If bytes were handed over and the connection then turns out dead, the request may have been read: unknown.
package httpclient
