package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address is the client's address for the limiter: the peer's, or, where the peer is a trusted proxy, the last one in X-Forwarded-For that
// is not a trusted proxy itself. What stands to the left of it was written by the client and is not believed.
func (a *API) address(r *http.Request) string {
	return clientAddress(r.RemoteAddr, r.Header["X-Forwarded-For"], a.settings.Proxies)
}

func clientAddress(peer string, forwarded []string, proxies []netip.Prefix) string {
	port, err := netip.ParseAddrPort(peer)
	if err != nil {
		return "unknown"
	}
	addr := port.Addr().Unmap()
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !trusted(addr, proxies) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		addr = next.Unmap()
	}
	return bucket(addr)
}

func trusted(addr netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// bucket names an address for the limiter. An IPv6 host owns its whole /64 (RFC 4291, section 2.5.4), so that counts as one address.
func bucket(addr netip.Addr) string {
	if addr.Is4() {
		return addr.String()
	}
	p, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return p.String()
}
