//! Stochastic gradient descent with a step size for each weight: `AdaGrad` (Duchi, Hazan & Singer 2011).

/// Keeps the first steps of a weight small.
const DAMPING: f32 = 1e-2;

/// One step of `weight` against its slope. `square` is the sum of the squares of its slopes so far, and `rate` the size of
/// the first steps.
pub(crate) fn step(weight: &mut f32, square: &mut f32, slope: f32, rate: f32) {
    *square += slope * slope;
    *weight -= rate * slope / (square.sqrt() + DAMPING);
}
