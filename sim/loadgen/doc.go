// Package loadgen plays a crowd against a booking system on time and records what happened: an open model, in which nobody waits for anybody's answer.
//
// A Plan says who comes when, a Visit what that visitor does next; both are pure values. The Engine owns the clock: a pacer starts each step at
// its intended instant, workers speak to the target.Client, every request becomes one history.Record. At most InFlightCap requests are under way; a
// step that finds no room waits, keeps its intended instant, and so its wait is response time. Nothing is dropped. Engine judges itself too:
// lateness, stalls, processor time, garbage collection, Little's law.
//
// It knows no system but target.Client and decides nothing about seats. sim imports it.
//
// Decision: the pacer sleeps in poll(2) on a timerfd with an absolute deadline and an eventfd, on a locked thread. That is as precise as
// clock_nanosleep with TIMER_ABSTIME (a timerfd has no timer slack), and an answer whose next step is due before the present deadline can wake it;
// a nanosleep would have to wake a thousand times a second to see that. Above 2,000 steps a second it wakes each 0.5 ms and releases all that is due.
//
// Decision: a step that is due at once (most log-ins are followed by one) is sent by the worker that has the answer, unless others wait for room.
//
// Decision: lateness is measured to the moment a step is handed to the client. What the client then needs to get a connection is the target's
// doing, and shows in the record: sent is when the request began to be written.
//
// Decision: steps that were due before the end and never sent, because there was no room or the pacer was behind, are recorded as unfinished
// with replica 0. Left out, an overload would make the percentiles better.
package loadgen
