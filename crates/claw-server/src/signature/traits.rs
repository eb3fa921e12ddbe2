//! The traits with which handlers, arguments and results describe themselves.

use std::future::Future;

use super::facts::Facts;

/// A handler with the arguments `T`, in axum's form.
pub(crate) trait Signature<T> {
    /// Describes the inputs and outputs of the handler.
    fn describe(facts: &mut Facts<'_>);
}

macro_rules! signatures {
    ($(($($argument:ident)*))*) => {$(
        impl<F, M, R, $($argument,)*> Signature<(M, $($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> R,
            R: Future<Output: Output>,
            $($argument: Input,)*
        {
            fn describe(facts: &mut Facts<'_>) {
                $($argument::describe(facts);)*
                R::Output::describe(facts);
            }
        }
    )*};
}

signatures! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E G) }

/// An argument of a handler.
pub(crate) trait Input {
    /// Describes the parts of the request that the argument reads.
    fn describe(facts: &mut Facts<'_>);
}

/// A result of a handler.
pub(crate) trait Output {
    /// Describes the responses that the result produces.
    fn describe(facts: &mut Facts<'_>);
}
