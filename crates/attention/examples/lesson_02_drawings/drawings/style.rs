//! Colours, fonts and strokes of the drawings, as CSS.

/// What something is, as a class of the style below. Queries are blue, keys orange,
/// values green, contexts purple, weights yellow, all else grey.
pub const PLAIN: &str = "p";
pub const QUERY: &str = "q";
pub const KEY: &str = "k";
pub const VALUE: &str = "v";
pub const CONTEXT: &str = "c";
pub const WEIGHT: &str = "w";

pub const FONTS: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/// The colours follow Okabe and Ito's palette, which colour-blind readers can tell
/// apart; darker on white for more contrast. All that has a class takes its colour.
pub const STYLE: &str = "\
.g{fill:#fff}.i{color:#1b1b1b}.p{color:#67707b}.q{color:#0069a8}.k{color:#b84a00}\
.v{color:#00735a}.c{color:#7a3fa3}.w{color:#d99a00}\
@media (prefers-color-scheme:dark){.g{fill:#111}.i{color:#ececec}.p{color:#a2abb6}\
.q{color:#62b8ef}.k{color:#f5a15c}.v{color:#45c9a0}.c{color:#cba6ee}.w{color:#b58900}}\
text{fill:currentColor;font-size:13px}.s{font-size:12px}.h{font-size:16px}.f{font-size:15px}\
.h,.b{font-weight:600}.l{text-anchor:start}.r{text-anchor:end}\
.box{fill:currentColor;fill-opacity:.16;stroke:currentColor}\
.frame,.line{fill:none;stroke:currentColor}.frame{stroke-width:2.5}\
.thin{stroke-dasharray:5 4;stroke-opacity:.65}.full{fill:currentColor}.hatch{fill:url(#hatch)}";

/// What hides a cell.
pub const HATCH: &str = "<defs><pattern id=\"hatch\" class=\"p\" width=\"6\" height=\"6\" \
patternUnits=\"userSpaceOnUse\"><path class=\"line\" stroke-opacity=\".45\" d=\"M0 6L6 0\"/>\
</pattern></defs>";
