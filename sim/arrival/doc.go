// Package arrival says when the visitors of a crowd arrive: every shape as a pure function of its settings, the number of visitors and a stream of draws.
//
// It knows no clock and sends nothing. sim/crowd and the virtual-time model may import it; it imports sim/scenario only.
//
// # Decision
//
// The number of visitors is exact for every shape, because a plan must be comparable from seed to seed. Hence constant, ramp and stages are closed forms
// (the inverse of the cumulated rate), and poisson is a Poisson process given its count: sorted uniform draws (S. Ross, Introduction to Probability Models, theorem 5.2).
//
// The run's zero is the start of the shapes, not the first draw: moving a poisson or flash crowd by its first draw would move it against the opening of the sale.
//
// The tail of a flash crowd is cut at five times tau, which leaves out 0.7 % of an exponential: without a cut the last of ten thousand would come after nine tau, and a run needs an end.
package arrival
