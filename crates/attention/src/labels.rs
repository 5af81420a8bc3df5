//! Labels as the pictures keep them.

/// The labels as texts of their own.
///
/// rustc lets a cell use what this crate has compiled of a generic function that is never
/// inlined; [`OWNED`] names what is compiled here.
#[inline(never)]
pub(crate) fn owned<S: AsRef<str>>(labels: &[S]) -> Vec<String> {
    labels
        .iter()
        .map(|label| label.as_ref().to_owned())
        .collect()
}
type Owned<S> = fn(&[S]) -> Vec<String>;
#[used]
static OWNED: (Owned<&str>, Owned<String>) = (owned, owned);
