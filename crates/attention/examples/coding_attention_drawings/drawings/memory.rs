//! The tiles of flash attention, in slow and in fast memory.

use super::look::{BOLD, NORMAL, SMALL};
use super::sheet::{CONTEXT, Cell, KEY, PLAIN, QUERY, Sheet, VALUE};
use attention::figures::scene::Role;

/// The sizes of a cell in slow memory and in fast memory.
const SLOW: (i32, i32) = (18, 28);
const FAST: (i32, i32) = (26, 28);

/// Six rows in slow memory; `shade` is the strength of the colour of each tile of two rows, or 0 to
/// hatch it.
fn array(sheet: &mut Sheet, x: i32, name: &str, role: Role, shade: [f32; 3]) {
    sheet.text((x + 27, 86), SMALL, name);
    sheet.matrix((x, 100), SLOW, (6, 3), |row, _| match shade[row / 2] {
        0.0 => Cell::Hidden(""),
        shade => Cell::Shade(role, shade),
    });
}

/// Two rows in fast memory.
fn tile(sheet: &mut Sheet, (x, y): (i32, i32), name: &str, role: Role, columns: usize) {
    let width = FAST.0 * columns as i32;
    sheet.text((x + width / 2, y - 14), SMALL, name);
    sheet.matrix((x, y), FAST, (2, columns), |_, _| Cell::Shade(role, 0.9));
}

/// All arrays in slow memory; in fast memory, one tile each of queries, keys and values, their
/// scores, and the running results.
pub fn tiles() -> Sheet {
    let mut sheet = Sheet::new(
        (744, 364),
        "A tile of queries stays, tiles of keys and values pass",
        "Two frames. In slow memory: queries, keys, values and context of six tokens, in tiles of \
         two; the second tile of queries, of keys and of values is marked, and only the first tile \
         of the context is filled. In fast memory: that tile of queries, which is held, that tile \
         of keys and of values, which passes, the four scores that they make, and beside \
         them m, l and o. An arrow brings keys and values in, another takes o divided by l out.",
    );
    sheet.frame((16, 44), (324, 240), PLAIN);
    sheet.text((178, 62), BOLD, "slow memory, large");
    let (other, this) = (0.12, 0.9);
    array(&mut sheet, 32, "queries", QUERY, [other, this, other]);
    array(&mut sheet, 110, "keys", KEY, [other, this, other]);
    array(&mut sheet, 188, "values", VALUE, [other, this, other]);
    array(&mut sheet, 266, "context", CONTEXT, [this, 0.0, 0.0]);
    sheet.frame((440, 44), (288, 240), PLAIN);
    sheet.text((584, 62), BOLD, "fast memory, small");
    tile(&mut sheet, (456, 100), "queries", QUERY, 3);
    tile(&mut sheet, (546, 100), "keys", KEY, 3);
    tile(&mut sheet, (636, 100), "values", VALUE, 3);
    sheet.text((495, 172), SMALL, "held");
    sheet.text((630, 172), SMALL, "one tile after the other");
    tile(&mut sheet, (456, 216), "scores", PLAIN, 2);
    tile(&mut sheet, (546, 216), "m", PLAIN, 1);
    tile(&mut sheet, (591, 216), "l", PLAIN, 1);
    tile(&mut sheet, (636, 216), "o", CONTEXT, 3);
    sheet.text((390, 112), SMALL, "tiles in");
    sheet.arrow(PLAIN, &[(344, 128), (436, 128)]);
    sheet.text((390, 228), SMALL, "o / l out");
    sheet.arrow(PLAIN, &[(436, 244), (344, 244)]);
    for (y, text) in [
        (
            312,
            "The scores of a tile are used at once and thrown away: they never reach slow memory.",
        ),
        (
            336,
            "After the last tile of keys, o / l goes out, and the next tile of queries comes in.",
        ),
    ] {
        sheet.text((372, y), NORMAL, text);
    }
    sheet
}
