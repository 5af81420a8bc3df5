"""Jupyter's own test suite."""


import jupyter_kernel_test

from client import HAS_RUST_ANALYZER, wait_for_rust_analyzer


class Suite(jupyter_kernel_test.KernelTests):
    """jupyter_kernel_test, with all samples that a Rust kernel can have. test_pager is skipped: pagers are
    deprecated in the protocol."""

    kernel_name = "attention"
    language_name = "rust"
    file_extension = ".rs"
    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("oh");'
    completion_samples = [{"text": "attention::dot_product::softma"}]
    if HAS_RUST_ANALYZER:
        completion_samples.append({"text": "let number = 1.0_f32; number.is_sign_n"})
    complete_code_samples = ["1 + 1", "let a = 1;", "fn f() -> i32 { 2 }", 'println!("(");', ":vars"]
    incomplete_code_samples = ["fn f() {", 'let a = "text', "let a =", "/* comment"]
    invalid_code_samples = ["let a = 1);", "fn f( { ]"]
    code_generate_error = "let wrong: i32 = true;"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": '"text".to_uppercase()', "result": "TEXT"},
        {"code": "[1, 2].len()", "result": "2"},
        {"code": "1 + 1", "result": "2"},
    ]
    code_display_data = [
        {
            "code": "attention::figures::heatmap(&attention::ndarray::array![[1.0_f32]]).evcxr_display();",
            "mime": "image/svg+xml",
        }
    ]
    code_history_pattern = "6 ? 7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "attention::dot_product::softmax"
    code_clear_output = "attention::notebook::clear_output();"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The evaluator warms up after the sockets answer; the suite allows 15 s for a cell.
        cls.kc.execute("1", store_history=False)
        cls.kc.get_shell_msg(timeout=120)
        if HAS_RUST_ANALYZER:
            wait_for_rust_analyzer(cls.kc)
