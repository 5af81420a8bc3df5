//! Tokenising without a model: long texts, and characters that are newer than the reference.

use attention::minilm::WordPiece;
use std::time::{Duration, Instant};

fn pieces() -> WordPiece {
    let letters = "a\n##a\nx\n##y\n##\u{7fd}\n[";
    WordPiece::new(&format!("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n{letters}")).expect("a vocabulary")
}

/// Half a second suffices on an idle machine; quadratic behaviour would take minutes.
const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn long_texts_take_time_in_proportion_to_their_length() {
    let pieces = pieces();
    let began = Instant::now();
    let masks = pieces.encode(&"[MASK]".repeat(200_000));
    assert_eq!((masks.len(), masks[1], masks[200_000]), (200_002, 4, 4));
    assert_eq!(pieces.encode(&"[".repeat(200_000)).len(), 200_002);
    assert_eq!(pieces.encode(&"[MASK".repeat(40_000)).len(), 80_002);
    assert_eq!(pieces.encode(&"aa ".repeat(70_000)).len(), 140_002);
    assert_eq!(pieces.encode(&"a".repeat(200_000)), [2, 1, 3]);
    assert_eq!(
        pieces
            .encode(&format!("{} ", "a".repeat(100)).repeat(2000))
            .len(),
        200_002
    );
    assert_eq!(pieces.encode(&"a\u{301}".repeat(50)).len(), 52);
    assert_eq!(
        pieces.encode(&format!("a{}", "\u{301}\u{323}".repeat(100_000))),
        [2, 5, 3]
    );
    let took = began.elapsed();
    assert!(took < LIMIT, "{took:?}");
}

#[test]
fn special_tokens_are_found_where_they_stand() {
    let pieces = pieces();
    assert_eq!(pieces.size(), 11);
    assert_eq!(
        pieces.encode("a[MASK][[PAD]a[CLS"),
        [2, 5, 4, 10, 0, 5, 10, 1, 3]
    );
    let without = WordPiece::new("[UNK]\n[CLS]\n[SEP]\n[\n]\nmask").expect("a vocabulary");
    assert_eq!(without.encode("[MASK]"), [1, 3, 5, 4, 2]);
}

#[test]
fn an_accent_that_the_reference_does_not_know_stays() {
    assert_eq!(pieces().encode("x\u{7fd}y"), [2, 7, 9, 8, 3]);
}
