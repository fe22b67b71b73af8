// Package crowd decides who comes when and what they do: pure values, no clock and no I/O.
//
// NewPlan turns a scenario and a seed into visitors in order of arrival, with the accounts, addresses and idempotency keys that they use; Plan.Hash names the whole of it.
// Mind is the state machine of one visitor: it says the next step from what the visitor heard. An engine on real time and a model in virtual time drive the same Mind.
// sim/loadgen, sim/model and sim may import it; sim/check uses a Plan to read accounts and keys back from rows. It imports sim/scenario, sim/arrival, sim/retry and sim/history.
//
// # What a visitor does
//
// It arrives and logs in. One who waits for the opening then waits for its own moment after it, everyone else thinks first. Then it books, cancels if it is one who does, and leaves.
//
//   - A booking ends it: Booked, whatever becomes of a cancel.
//   - sold-out, account-limit, key-reused, sale-closed and every refusal that the protocol calls final end it: RefusedFinal.
//   - Everything else is tried again while patience, attempts and the crowd's budget last. Out of patience: GaveUp, at that moment. Out of attempts or budget: RefusedFinal if the last
//     answer was a refusal, else GaveUp. So one who was told "sold out for now" to the end was refused, and one whose requests timed out gave up.
//   - session-unknown brings one new log-in and the same try again, which costs neither an attempt nor budget: the visitor did nothing wrong.
//     A second one in a row counts as a refusal of that try. Step.Attempt counts requests, so it grows all the same.
//
// # Decision
//
// Patience counts from the arrival, but for those who wait for the opening from the moment they act: they chose to come early, and a long wait before the opening must not make them leave
// when the sale begins. A cancel has a patience of its own from the booking on: a visitor who gives a seat back is not waiting for one.
//
// sale-closed ends a visit although the protocol calls it not final: a sale may open again, but no visitor of one sale waits for that.
//
// A visitor with several accounts ("N per visitor") takes the next account with each new idempotency key, with a log-in for it. Keys change at each retry where the policy says "fresh", and after
// account-limit or rate-limited, which is when somebody with a second account uses it. With several addresses each request comes from the next one. So the account of an intent follows from its number.
package crowd
