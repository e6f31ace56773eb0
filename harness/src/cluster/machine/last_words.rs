//! What a program's log says about its panics: those that ended it, and those that it survived.
//!
//! A line counts only where runtimes and libraries put it, at its beginning or behind klog's header: a log may quote
//! whatever a Job's name or message holds.

/// Where a log line says that something went wrong that must never go wrong.
fn is_mark(line: &str) -> bool {
    is_panic(line)
        || ["fatal error: ", "fatal runtime error: ", "memory allocation of "].iter().any(|mark| line.starts_with(mark))
}

/// Rust: `thread 'main' panicked at`. Go: `panic: ` ends a program; `Observed a panic` is what
/// `HandleCrash` of `k8s.io/apimachinery` writes, and `http: panic serving` what `net/http` does.
fn is_panic(line: &str) -> bool {
    let message = klog_message(line).unwrap_or(line);
    let message = message.strip_prefix('"').unwrap_or(message);
    let is_rust =
        line.starts_with("thread '") && [r"' panicked at ", ") panicked at "].iter().any(|at| line.contains(at));
    is_rust
        || line.starts_with("panic: ")
        || message.starts_with("Observed a panic")
        || message.starts_with("http: panic serving ")
}

/// What stands behind klog's header, as in `E1122 07:20:24.000000       1 runtime.go:142] "Observed a panic"`.
fn klog_message(line: &str) -> Option<&str> {
    let (header, message) = line.split_once("] ")?;
    let mut letters = header.chars();
    let is_header = letters.next().is_some_and(|level| "IWEF".contains(level))
        && letters.next().is_some_and(|digit| digit.is_ascii_digit())
        && !header.contains(['"', '[']);
    is_header.then_some(message)
}

/// What a program wrote last: where its end begins with a panic, that and what follows, else its last lines. The dump of
/// its threads may be longer than any quotation.
pub(crate) fn quoted(log: &str, most: usize) -> Vec<String> {
    let lines: Vec<&str> = log.lines().collect();
    let begin = lines.iter().rposition(|line| is_mark(line)).unwrap_or(lines.len().saturating_sub(most));
    let end = lines.len().min(begin + most);
    lines[begin..end].iter().map(|line| (*line).to_owned()).collect()
}

/// Every panic that a log tells of, with the lines that follow it.
pub(crate) fn panics(log: &str, most: usize) -> Vec<Vec<String>> {
    let lines: Vec<&str> = log.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|&at| is_panic(lines[at])).collect();
    let ends = starts.iter().copied().skip(1).chain([lines.len()]);
    let quote = |(start, end): (usize, usize)| {
        lines[start..end.min(start + most)].iter().map(|line| (*line).to_owned()).collect()
    };
    starts.iter().copied().zip(ends).map(quote).collect()
}

/// What a panic has in common with those that repeat it: not the thread, nor the time.
pub(crate) fn identity(lines: &[String]) -> String {
    let first = lines.first().map_or("", String::as_str);
    let first = first.split_once("panicked at ").map_or(first, |(_, place)| place);
    klog_message(first).unwrap_or(first).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::rust("thread 'tokio-rt-worker' panicked at controller/src/queue.rs:120:5:", true)]
    #[case::rust_with_its_number("thread 'main' (2711) panicked at src/main.rs:1:1:", true)]
    #[case::go("panic: runtime error: index out of range [3] with length 3", true)]
    #[case::apimachinery(
        r#"E1122 07:20:24.000000       1 runtime.go:142] "Observed a panic" panic="assignment""#,
        true
    )]
    #[case::apimachinery_of_old("E1122 07:20:24.0 1 runtime.go:78] Observed a panic: runtime error: invalid", true)]
    #[case::a_web_server("E1122 07:20:24.0 1 server.go:1] http: panic serving 127.0.0.1:1: runtime error", true)]
    #[case::a_job_of_that_name(r#"I1122 07:20:24.0 1 job.go:1] "Synced" job="thread 'a' panicked at b""#, false)]
    #[case::a_message(r#"I1122 07:20:24.0 1 job.go:1] "Failed" message="[x] Observed a panic""#, false)]
    #[case::a_quoted_thread("message: thread 'main' panicked at x", false)]
    #[case::a_trace_of_ours("2026-11-22T07:20:24Z ERROR sync: panic: no", false)]
    fn a_panic_is_told_from_its_quotation(#[case] line: &str, #[case] is_one: bool) {
        assert_eq!(panics(line, 5).len(), usize::from(is_one), "{line}");
    }

    #[test]
    fn of_a_program_that_panicked_the_beginning_of_its_end_is_quoted() {
        let dump: String = (0..500).map(|number| format!("goroutine {number} [select]:\n")).collect();
        let log = format!("I1122 07:20:24.0 1 job.go:1] fine\npanic: runtime error\n\n{dump}");
        assert_eq!(quoted(&log, 3), ["panic: runtime error", "", "goroutine 0 [select]:"]);
    }

    #[test]
    fn a_panic_that_comes_again_is_known_by_its_place() {
        let one = identity(&["thread 'tokio-rt-worker' (7) panicked at queue.rs:1:2:".to_owned(), "why".to_owned()]);
        let again = identity(&["thread 'tokio-rt-worker' (9) panicked at queue.rs:1:2:".to_owned(), "why".to_owned()]);
        let other = identity(&["thread 'tokio-rt-worker' (7) panicked at sync.rs:1:2:".to_owned()]);
        assert_eq!(one, again);
        assert_ne!(one, other);
    }

    #[test]
    fn of_any_other_the_last_lines_are_quoted() {
        assert_eq!(quoted("one\ntwo\nthree\n", 2), ["two", "three"]);
        assert_eq!(quoted("", 2), Vec::<String>::new());
    }

    #[test]
    fn every_panic_is_quoted_up_to_the_next() {
        let log = "thread 'a' panicked at x:\nwhy\nthread 'b' panicked at y:\nwhy not\nnote\nfine\n";
        let told = panics(log, 2);
        assert_eq!(told, [["thread 'a' panicked at x:", "why"], ["thread 'b' panicked at y:", "why not"]]);
    }
}
