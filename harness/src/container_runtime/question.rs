//! One question to a program that may never answer: what it prints, or what is wrong with it.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// What the program prints, if it ends well in time.
pub(super) fn ask(mut command: Command, patience: Duration) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    let (sender, answers) = mpsc::channel();
    for (is_answer, pipe) in [(true, boxed(child.stdout.take())), (false, boxed(child.stderr.take()))] {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut pipe) = pipe {
                // What could be read is what there is to tell.
                let _ = pipe.read_to_end(&mut text);
            }
            let _ = sender.send((is_answer, String::from_utf8_lossy(&text).into_owned()));
        });
    }
    drop(sender);
    let (mut answer, mut trouble) = (String::new(), String::new());
    loop {
        match answers.recv_timeout(patience) {
            Ok((true, text)) => answer = text,
            Ok((false, text)) => trouble = text,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                give_up(&mut child);
                return Err(format!("`{program}` did not answer within {} s", patience.as_secs()));
            }
        }
    }
    let status = child.wait().map_err(|error| format!("`{program}` cannot be waited for: {error}"))?;
    if status.success() {
        return Ok(answer);
    }
    let trouble = trouble.trim();
    Err(if trouble.is_empty() { format!("`{program}` ended with {status}") } else { trouble.to_owned() })
}

fn boxed(pipe: Option<impl Read + Send + 'static>) -> Option<Box<dyn Read + Send>> {
    pipe.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)
}

fn give_up(child: &mut Child) {
    // It may have ended just now.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Duration) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        ask(command, patience)
    }

    #[test]
    fn an_answer_is_what_was_printed_and_remarks_are_not_part_of_it() {
        assert_eq!(shell("echo yes; echo note >&2", Duration::from_secs(60)), Ok("yes\n".to_owned()));
    }

    #[test]
    fn a_failure_is_told_in_the_programs_own_words() {
        assert_eq!(shell("echo no daemon >&2; exit 1", Duration::from_secs(60)), Err("no daemon".to_owned()));
        assert_eq!(shell("exit 3", Duration::from_secs(60)), Err("`sh` ended with exit status: 3".to_owned()));
    }

    #[test]
    fn one_that_never_answers_is_given_up() {
        let told = shell("exec cat /dev/zero > /dev/null", Duration::from_millis(1)).unwrap_err();
        assert!(told.contains("did not answer"), "{told}");
    }

    #[test]
    fn one_that_is_not_there_is_named() {
        let told = ask(Command::new("/no/such/program"), Duration::from_secs(60)).unwrap_err();
        assert!(told.contains("/no/such/program"), "{told}");
    }
}
