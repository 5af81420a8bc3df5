use super::*;

fn written(signer: &Signer) -> Frames {
    let content = json!({ "code": "1 + 1" });
    let client = [b"client".to_vec()];
    signer.write(&client, "execute_request", &Value::Null, &content)
}

#[test]
fn what_is_written_can_be_read() {
    let signer = Signer::new(b"key");
    let message = signer.read(&written(&signer)).expect("a valid message");
    assert_eq!(message.identities, [b"client".to_vec()]);
    assert_eq!(message.kind(), "execute_request");
    assert_eq!(message.text("code"), "1 + 1");
    let unsigned = Signer::new(b"");
    assert!(unsigned.read(&written(&unsigned)).is_ok());
}

#[test]
fn wrong_messages_are_refused_with_a_reason() {
    let signer = Signer::new(b"key");
    let reason = |frames: Frames| signer.read(&frames).err().expect("refused").to_string();
    assert_eq!(
        reason(written(&Signer::new(b"other"))),
        "its signature is wrong"
    );
    let good = written(&signer);
    assert_eq!(reason(good[..1].to_vec()), "it has no delimiter");
    assert_eq!(reason(good[..2].to_vec()), "it ends at the delimiter");
    assert_eq!(reason(good[..5].to_vec()), "it has 2 parts instead of 4");
    let mut changed = good.clone();
    changed[6] = b"{\"code\": \"2\"}".to_vec().into();
    assert_eq!(reason(changed), "its signature is wrong");
    let unsigned = Signer::new(b"");
    let mut malformed = written(&unsigned);
    malformed[3] = "{".into();
    assert!(unsigned.read(&malformed).is_err());
    malformed[3] = "[]".into();
    let reason = unsigned.read(&malformed).err().expect("refused");
    assert_eq!(reason.to_string(), "its header has no msg_type");
}

#[test]
fn a_message_whose_content_is_wrong_can_be_answered() {
    let signer = Signer::new(b"");
    let deep = "[".repeat(100_000);
    for (content, fault) in [
        ("5", "its content is not an object"),
        ("{", "its content cannot be read: EOF while parsing"),
        ("{\"code\": \"\\ud800\"}", "its content cannot be read: "),
        (
            &deep,
            "its content cannot be read: recursion limit exceeded",
        ),
    ] {
        let mut frames = written(&signer);
        frames[6] = content.as_bytes().to_vec().into();
        let message = signer.read(&frames).expect("a header");
        assert_eq!(message.kind(), "execute_request");
        let found = message.fault.expect("a fault");
        assert!(found.starts_with(fault), "{found}");
        assert!(message.content.is_null());
    }
}

#[test]
fn of_a_number_that_no_float_can_hold_the_comm_is_known() {
    let signer = Signer::new(b"");
    let zeros = "0".repeat(400);
    for number in [format!("1{zeros}"), "-1e400".to_owned()] {
        let mut frames = written(&signer);
        let content = format!("{{\"data\": {{\"values\": [{number}]}}, \"comm_id\": \"c\"}}");
        frames[6] = content.into_bytes().into();
        let message = signer.read(&frames).expect("a header");
        assert_eq!(message.content, json!({ "comm_id": "c" }));
        let fault = message.fault.expect("a fault");
        assert!(fault.contains("number out of range"), "{fault}");
    }
}
