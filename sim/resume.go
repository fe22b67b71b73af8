package sim

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// Bounds of the resume.
const (
	resumeWorkers = 8                     // accounts asked at once
	resumePace    = 20 * time.Millisecond // between two requests of a worker, doubled with each try: at most 400/s in all
	resumeTries   = 8                     // attempts of one intent
	resumeTimeout = 5 * time.Second       // of one request
	resumeBound   = 2 * time.Minute       // of the whole resume
	flushBound    = 10 * time.Second      // for the last records to reach the disk
)

// resume starts one fresh replica and asks again, with its key, for every booking and cancel whose outcome nobody knows. Then it takes snapshot 2.
// An intent that was applied answers the same booking; one that was not books now or is cleanly refused.
func (r *run) resume(ctx context.Context) error {
	if err := r.flushed(ctx); err != nil {
		return err
	}
	open, err := r.unresolved()
	if err != nil {
		return err
	}
	if len(open) > 0 {
		if err := r.resumeAll(ctx, open); err != nil {
			return err
		}
	}
	return r.snapshot(ctx, 1)
}

func (r *run) resumeAll(ctx context.Context, open []history.Record) error {
	ctx, cancel := context.WithTimeout(ctx, resumeBound)
	defer cancel()
	client, err := r.system.Fresh(ctx)
	if err != nil {
		return fmt.Errorf("start a fresh replica for the resume: %w", err)
	}
	work, ctx := errgroup.WithContext(ctx)
	for n := range uint32(resumeWorkers) {
		w := &resumer{run: r, client: client, sessions: map[uint32]target.Visitor{}, shard: int(n)}
		work.Go(func() error { return w.each(ctx, open, n) })
	}
	return work.Wait()
}

// resumer asks for the accounts of one worker, one request at a time.
type resumer struct {
	*run
	client   target.Client
	sessions map[uint32]target.Visitor
	shard    int
}

func (r *resumer) each(ctx context.Context, open []history.Record, worker uint32) error {
	for _, rec := range open {
		if rec.Account%resumeWorkers != worker {
			continue
		}
		if err := r.one(ctx, rec); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
	}
	return nil
}

// one asks for one intent until the answer is final, or the tries are used up.
func (r *resumer) one(ctx context.Context, rec history.Record) error {
	for try := range resumeTries {
		if err := pause(ctx, resumePace<<try); err != nil {
			return err
		}
		v, ok := r.session(ctx, rec)
		if !ok {
			continue
		}
		ans := r.ask(ctx, v, rec, try)
		if ans.Problem == history.SessionUnknown {
			delete(r.sessions, rec.Account)
		}
		if done(ans) {
			r.count(ans)
			return nil
		}
		if err := pause(ctx, ans.RetryAfter); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tru.Resumed++
	r.tru.ResumeLost++
	return nil
}

// session logs the account in once.
func (r *resumer) session(ctx context.Context, rec history.Record) (target.Visitor, bool) {
	if v, ok := r.sessions[rec.Account]; ok {
		return v, true
	}
	v := target.Visitor{Account: r.plan.AccountName(rec.Account), Address: r.plan.AddressName(r.plan.Visitor(int(rec.Visitor)).Address)}
	ans := r.client.Login(ctx, 0, v, resumeTimeout)
	if ans.Outcome != history.Ok {
		return v, false
	}
	v.Session = ans.Session
	r.sessions[rec.Account] = v
	return v, true
}

func (r *resumer) ask(ctx context.Context, v target.Visitor, rec history.Record, try int) target.Answer {
	intended := time.Since(r.zero)
	var ans target.Answer
	if rec.Op == history.OpCancel {
		ans = r.client.Cancel(ctx, 0, v, rec.Booking, resumeTimeout)
	} else {
		sale := r.o.Scenario.Sales[rec.Sale].Name
		ans = r.client.Book(ctx, 0, v, sale, r.plan.Key(rec.Intent), int(rec.Quantity), resumeTimeout)
	}
	r.records.Append(r.shard, resumed(rec, ans, intended, time.Since(r.zero), ans.Sent.Sub(r.zero), try))
	return ans
}

// resumed is the record of one attempt of the resume.
func resumed(rec history.Record, ans target.Answer, intended, done, sent time.Duration, try int) *history.Record {
	op, booking := history.OpResumeBook, ans.Booking
	if rec.Op == history.OpCancel {
		op, booking = history.OpResumeCancel, rec.Booking
	}
	if ans.Sent.IsZero() || sent < intended {
		sent = intended
	}
	return &history.Record{
		Intended: int64(intended), Sent: int64(sent), Done: int64(done), Booking: booking, Version: ans.Version,
		Intent: rec.Intent, Visitor: rec.Visitor, Account: rec.Account, Sale: rec.Sale, Crowd: rec.Crowd, Status: uint16(ans.Status),
		Quantity: rec.Quantity, Answered: uint16(ans.Quantity), Attempt: rec.Attempt + uint8(try) + 1, Op: op, Replica: 1,
		Outcome: ans.Outcome, Problem: ans.Problem, Error: ans.Error, Path: ans.Path, Phase: history.AfterEnd,
	}
}

func (r *resumer) count(ans target.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tru.Resumed++
	if ans.Outcome != history.Ok {
		return
	}
	r.tru.ResumedOk++
	if ans.Path == history.PathDB {
		r.tru.ResumedNew++
	}
}

// done reports whether an answer of the resume is final: a booking, or a clean refusal. The gate's refusal is one here: it was just reconciled, nobody else books,
// and the system looks a committed booking up before it repeats what the gate says.
func done(a target.Answer) bool {
	return a.Outcome == history.Ok || a.Outcome == history.Refused && (final(a.Problem) || a.Problem == history.SoldOutForNow)
}

// final reports whether asking again can only be answered the same.
func final(p history.Problem) bool {
	switch p {
	case history.SoldOut, history.AccountLimit, history.KeyReused, history.SaleClosed, history.BadRequest, history.UnknownSale, history.UnknownBooking:
		return true
	}
	return false
}

// flushed waits until every record of the crowd has reached the file.
func (r *run) flushed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushBound)
	defer cancel()
	for r.records.Written() < r.appended {
		if err := r.records.Err(); err != nil {
			return err
		}
		if err := pause(ctx, history.FlushEvery/10); err != nil {
			return fmt.Errorf("%d of %d records reached the disk within %v: %w", r.records.Written(), r.appended, flushBound, err)
		}
	}
	return nil
}

// unresolved lists the last attempt of every intent, and of every cancel, that no attempt got a clear answer to.
func (r *run) unresolved() ([]history.Record, error) {
	reader, err := history.Open(r.dir.Join(result.FileRecords))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	type subject struct {
		intent uint64
		cancel bool
	}
	last, order := map[subject]history.Record{}, []subject{}
	settled := map[subject]bool{}
	for rec, err := range reader.Records() {
		if err != nil {
			return nil, err
		}
		if rec.Op != history.OpBook && rec.Op != history.OpCancel || rec.Replica == 0 {
			continue // not one that can change the truth, or due and never sent
		}
		s := subject{rec.Intent, rec.Op == history.OpCancel}
		switch {
		case rec.Outcome == history.Ok, rec.Outcome == history.Refused && final(rec.Problem):
			settled[s] = true
		case rec.Outcome == history.Unknown, rec.Outcome == history.Unfinished:
			if _, seen := last[s]; !seen {
				order = append(order, s)
			}
			last[s] = *rec
		}
	}
	var open []history.Record
	for _, s := range order {
		if !settled[s] {
			open = append(open, last[s])
		}
	}
	return open, nil
}

// pause waits, or reports why it must not.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
