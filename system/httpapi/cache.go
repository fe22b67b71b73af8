package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gatecrash/system/booking"
)

const (
	// cacheFor is how old what is told about a sale may be, counted from before it was read.
	cacheFor = 100 * time.Millisecond
	// cacheMost bounds the names remembered, because names that exist nowhere are remembered too.
	cacheMost = 1024
)

// cache remembers sales for a moment, so that a crowd of polls costs ten statements a second. Each sale is read by one request at a time.
type cache struct {
	read    func(context.Context, string) (booking.Sale, error)
	timeout time.Duration // of one read
	now     func() time.Time
	flights singleflight.Group
	wg      sync.WaitGroup

	mu      sync.Mutex
	entries map[string]entry
}

type entry struct {
	sale booking.Sale
	err  error
	at   time.Time // when the read began
	next time.Time // an open sale: when hint asks again
}

func newCache(read func(context.Context, string) (booking.Sale, error), timeout time.Duration) *cache {
	return &cache{read: read, timeout: timeout, now: time.Now, entries: map[string]entry{}}
}

// close waits for reads that nobody waits for.
func (c *cache) close() { c.wg.Wait() }

// get gives a sale as it was at most cacheFor ago.
func (c *cache) get(ctx context.Context, sale string) (booking.Sale, error) {
	if e, fresh := c.seen(sale); fresh {
		return e.sale, e.err
	}
	return c.refresh(ctx, sale)
}

// hint is get for the booking path. A sale last seen open is not waited for: the ledger decides, and the answer is only for those who come next.
func (c *cache) hint(ctx context.Context, sale string) (booking.Sale, error) {
	e, fresh := c.seen(sale)
	switch {
	case fresh:
		return e.sale, e.err
	case e.err != nil || e.sale.State != booking.Open:
		return c.refresh(ctx, sale)
	}
	if c.claim(sale) {
		ctx = context.WithoutCancel(ctx)
		c.wg.Go(func() { _, _ = c.refresh(ctx, sale) }) // kept in the entry for the next request
	}
	return e.sale, nil
}

// forget makes the next request read the sale again, and wait for it.
func (c *cache) forget(sale string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, sale)
}

func (c *cache) seen(sale string) (e entry, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[sale]
	return e, ok && c.now().Sub(e.at) < cacheFor
}

// claim lets one request in each cacheFor refresh an open sale; the others pass meanwhile.
func (c *cache) claim(sale string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[sale]
	now := c.now()
	if !ok || now.Before(e.next) {
		return false
	}
	e.next = now.Add(cacheFor)
	c.entries[sale] = e
	return true
}

// refresh reads the sale, or waits for the request that does. The read has its own deadline: it is not only for the one who began it.
func (c *cache) refresh(ctx context.Context, sale string) (booking.Sale, error) {
	v, _, _ := c.flights.Do(sale, func() (any, error) {
		e := entry{at: c.now()}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		e.sale, e.err = c.read(ctx, sale)
		c.keep(sale, e)
		return e, nil
	})
	e := v.(entry)
	return e.sale, e.err
}

// keep remembers what was read, also that there is no such sale or that the truth did not answer.
func (c *cache) keep(sale string, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= cacheMost {
		c.sweep()
	}
	c.entries[sale] = e
}

// sweep drops what is neither fresh nor known to exist, and if that is not enough, everything.
func (c *cache) sweep() {
	for name, e := range c.entries {
		if errors.Is(e.err, booking.ErrUnknownSale) || c.now().Sub(e.at) >= cacheFor {
			delete(c.entries, name)
		}
	}
	if len(c.entries) >= cacheMost {
		clear(c.entries)
	}
}
