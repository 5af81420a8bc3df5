"""The protocol: messages, their order, questions and interrupts."""

import json
import pathlib
import time

import zmq

from client import Client, FAILS_LATER, wait_until, WithKernel


class Protocol(WithKernel):
    def test_counts_begin_at_one_and_headers_have_an_id_of_their_own(self):
        kernel = Client()
        try:
            self.assertEqual(kernel.run("0", silent=True)[0]["execution_count"], 0)
            self.assertEqual(kernel.run("1")[0]["execution_count"], 1)
            self.assertEqual(kernel.run("1", store_history=False)[0]["execution_count"], 1)
            self.assertEqual(kernel.run("2")[0]["execution_count"], 2)
            kernel.client.kernel_info()
            header = kernel.client.get_shell_msg(timeout=60)["header"]
            self.assertNotEqual(header["session"], kernel.client.session.session)
            self.assertEqual(header["version"], "5.4")
        finally:
            kernel.end()

    def test_lessons_store_what_jupyterlab_saves_about_the_language(self):
        """Otherwise, merely opening a lesson would change it."""
        sent = self.kernel.reply_to(self.kernel.client.kernel_info())["language_info"]
        notebooks = pathlib.Path(__file__).resolve().parents[2] / "notebooks"
        # JupyterLab's checkpoints may be older.
        lessons = [path for path in notebooks.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
        self.assertGreater(len(lessons), 10)
        for lesson in lessons:
            with self.subTest(lesson.name):
                self.assertEqual(json.loads(lesson.read_text())["metadata"]["language_info"], sent)

    def test_silent_cells_show_nothing(self):
        reply, outputs = self.kernel.run('println!("x"); 5', silent=True)
        self.assertEqual((reply["status"], outputs), ("ok", []))

    def test_user_expressions(self):
        reply, _ = self.kernel.run("let a = 5;", user_expressions={"twice": "a * 2", "bad": "nothing"})
        self.assertEqual(reply["user_expressions"]["twice"]["data"]["text/plain"], "10")
        self.assertEqual(reply["user_expressions"]["bad"]["ename"], "CompileError")

    def test_queued_cells_are_aborted_after_an_error_unless_they_should_not(self):
        client = self.kernel.client
        requests = [client.execute(code) for code in (FAILS_LATER, "let b = 1;", "2")]
        statuses = [self.kernel.reply_to(request)["status"] for request in requests]
        self.assertEqual(statuses, ["error", "aborted", "aborted"])
        requests = [client.execute('panic!("on")', stop_on_error=False), client.execute("3")]
        statuses = [self.kernel.reply_to(request)["status"] for request in requests]
        self.assertEqual(statuses, ["error", "ok"])
        # If a request omits `stop_on_error`, later cells are aborted.
        unsaid = client.session.msg("execute_request", {"code": FAILS_LATER})
        client.shell_channel.send(unsaid)
        requests = [unsaid["header"]["msg_id"], client.execute("4")]
        statuses = [self.kernel.reply_to(request)["status"] for request in requests]
        self.assertEqual(statuses, ["error", "aborted"])

    def test_every_request_is_answered_between_busy_and_idle(self):
        client = self.kernel.client
        for ask, kind in [
            (client.kernel_info, "kernel_info_reply"),
            (client.comm_info, "comm_info_reply"),
            (lambda: client.is_complete("1"), "is_complete_reply"),
            (lambda: client.history(hist_access_type="tail", n=1), "history_reply"),
        ]:
            while client.iopub_channel.msg_ready():
                client.get_iopub_msg()
            request = ask()
            reply = client.get_shell_msg(timeout=60)
            self.assertEqual((reply["msg_type"], reply["content"]["status"] in ("ok", "complete")), (kind, True))
            states = []
            while states[-1:] != ["idle"]:
                message = client.get_iopub_msg(timeout=60)
                if message["parent_header"].get("msg_id") == request:
                    states.append(message["content"]["execution_state"])
            self.assertEqual(states, ["busy", "idle"])

    def test_comms_of_others_are_closed(self):
        client = self.kernel.client
        client.shell_channel.send(client.session.msg("comm_open", {"comm_id": "c", "target_name": "t", "data": {}}))
        while True:
            message = client.get_iopub_msg(timeout=60)
            if message["msg_type"] == "comm_close":
                break
        self.assertEqual(message["content"]["comm_id"], "c")

    def test_bad_messages_are_dropped_with_a_line_in_the_log(self):
        info = self.kernel.client.get_connection_info()
        socket = zmq.Context.instance().socket(zmq.DEALER)
        socket.connect(f"tcp://{info['ip']}:{info['shell_port']}")
        header = json.dumps({"msg_type": "kernel_info_request", "msg_id": "m", "session": "s"}).encode()
        session = self.kernel.client.session
        signed = lambda parts: [b"<IDS|MSG>", session.sign(parts), *parts]
        malformed = signed([b"{", b"{}", b"{}", b"{}"])
        for frames in ([b"nonsense"], [b"<IDS|MSG>", b"0" * 64, header, b"{}", b"{}", b"{}"], malformed):
            socket.send_multipart(frames)
        socket.send_multipart(signed([header, b"{}", b"{}", b"{}"]))
        self.assertTrue(socket.poll(20_000), "a good message after the bad ones is answered")
        socket.close(0)
        log = self.kernel.logged()
        self.assertEqual(log.count("dropped a message on the shell socket"), 3, log)
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    def test_questions_about_code_do_not_wait_for_a_running_cell(self):
        client = self.kernel.client
        request = self.kernel.begin('println!("on"); while !attention::notebook::interrupted() {}')
        client.complete("attention::so")
        client.get_shell_msg(timeout=60)
        client.inspect("attention::dot_product::softmax")
        client.get_shell_msg(timeout=60)
        # Front ends show the last state they received, which must be busy while the cell is running.
        time.sleep(0.2)
        states = []
        while client.iopub_channel.msg_ready():
            message = client.get_iopub_msg()
            if message["msg_type"] == "status":
                states.append(message["content"]["execution_state"])
        self.assertEqual(states[-1], "busy", states)
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.kernel.reply_to(request)["ename"], "Interrupted")

    def test_a_cursor_within_a_name_means_the_name(self):
        code = "attention::dot_product::softmax"
        for cursor in (len("attention::dot_product::soft"), len(code)):
            request = self.kernel.client.inspect(code, cursor)
            reply = self.kernel.reply_to(request)
            self.assertTrue(reply["found"], cursor)
            self.assertIn("softmax", reply["data"]["text/plain"])

    def test_the_history_has_cells_and_their_results(self):
        number = self.kernel.run("6 * 7")[0]["execution_count"]
        request = self.kernel.client.history(hist_access_type="tail", n=1, output=True)
        self.assertEqual(self.kernel.reply_to(request)["history"], [[1, number, ["6 * 7", "42"]]])

    def test_a_cell_can_ask_for_text(self):
        client = self.kernel.client
        self.assertEqual(self.kernel.run(':offline 0\n:dep evcxr_input = "1"')[0]["status"], "ok")
        request = client.execute('evcxr_input::get_string("name: really?")', allow_stdin=True)
        asked = client.get_stdin_msg(timeout=60)
        self.assertEqual(asked["content"], {"prompt": "name: really?", "password": False})
        client.input("あ: b")
        reply, outputs = self.kernel.finish(request)
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "あ: b")
        # Each question is asked once, even if the answer takes a while.
        code = 'for _ in 0..60 { evcxr_input::get_string("again: "); }'
        request = client.execute(code, allow_stdin=True)
        for _ in range(60):
            self.assertEqual(client.get_stdin_msg(timeout=60)["content"]["prompt"], "again: ")
            time.sleep(0.1)
            client.input("b")
        self.assertEqual(self.kernel.finish(request)[0]["status"], "ok")
        # A front end that cannot ask the user gets no request.
        reply, outputs = self.kernel.run('evcxr_input::get_string("name").len()', allow_stdin=False)
        self.assertEqual(reply["status"], "ok", reply)
        self.assertIn("cannot ask for text", outputs[0][1]["text"])
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "0")
        # A cell that waits for an answer can be stopped.
        self.kernel.run("let kept = 1;")
        request = client.execute('evcxr_input::get_string("name")', allow_stdin=True)
        client.get_stdin_msg(timeout=60)
        self.kernel.manager.interrupt_kernel()
        reply, _ = self.kernel.finish(request)
        self.assertEqual(reply["evalue"], "stopped; all variables are kept")
        self.assertEqual(self.kernel.value("kept"), "1")
