//go:build !unix

package httpclient

// alive cannot look at the connection here; the write and the read will tell.
func (c *conn) alive() bool { return true }
