//! The script of a case in words: its statements, without what only a compiler needs.

/// Words that begin a block.
const BLOCKS: [&str; 7] = ["for ", "if ", "while ", "loop", "match ", "else", "async "];

/// One line for each step, those within a block below its head. Empty where there is no script.
pub fn in_words(source: &str) -> Vec<String> {
    let Some(start) = source.find("async fn script(") else { return Vec::new() };
    let Some(open) = source[start..].find("{\n").map(|at| start + at + 1) else { return Vec::new() };
    let body: String =
        source[open..].lines().map(|line| line.split("// ").next().unwrap_or("").to_owned() + "\n").collect();
    let mut steps = Vec::new();
    collect(&mut body.chars().peekable(), &mut steps);
    steps
}

/// Reads statements up to the brace that closes the block.
fn collect(text: &mut std::iter::Peekable<std::str::Chars<'_>>, steps: &mut Vec<String>) {
    let (mut statement, mut depth, mut quoted) = (String::new(), 0_u32, false);
    while let Some(c) = text.next() {
        quoted ^= c == '"';
        match c {
            _ if quoted => statement.push(c),
            '(' | '[' => {
                depth += 1;
                statement.push(c);
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                statement.push(c);
            }
            '{' if depth == 0 && BLOCKS.iter().any(|word| statement.trim_start().starts_with(word)) => {
                let head = words(&std::mem::take(&mut statement));
                let mut inner = Vec::new();
                collect(text, &mut inner);
                steps.push(match inner.is_empty() {
                    true => head,
                    false => format!("{head}: {}", inner.join("; ")),
                });
            }
            '{' => {
                depth += 1;
                statement.push(c);
            }
            '}' if depth == 0 => break,
            '}' => {
                depth -= 1;
                statement.push(c);
            }
            ';' if depth == 0 => push(&mut statement, steps),
            _ => statement.push(c),
        }
    }
    push(&mut statement, steps);
}

fn push(statement: &mut String, steps: &mut Vec<String>) {
    let step = words(&std::mem::take(statement));
    if !step.is_empty() && step != "Ok(())" {
        steps.push(step);
    }
}

/// `scene.wait(pods().running(1)).await?` as `wait: pods running(1)`.
fn words(statement: &str) -> String {
    let one_line: String = statement.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
    let bare = one_line.replace(".await", "").replace('?', "").replace("scene.", "");
    let bare = match bare.strip_prefix("Ok(()) ") {
        Some(rest) => rest.to_owned(),
        None => bare,
    };
    let bare = match (bare.find('('), bare.ends_with(')')) {
        (Some(open), true) if is_whole(&bare[open..]) && !bare[..open].contains(['.', ' ', '!']) => {
            let inner = &bare[open + 1..bare.len() - 1];
            let act = &bare[..open];
            if inner.is_empty() { act.to_owned() } else { format!("{act}: {inner}") }
        }
        _ => bare,
    };
    if bare == "Ok: ()" {
        return String::new();
    }
    spoken(&bare)
}

/// Whether the parenthesis that opens this text is closed at its very end.
fn is_whole(text: &str) -> bool {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// Names as words; what stands in quotes stays.
fn spoken(text: &str) -> String {
    let parts = text.split('"').enumerate().map(|(number, part)| match number % 2 {
        0 => named(part),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("\"").trim().to_owned()
}

fn named(part: &str) -> String {
    let mut text = String::new();
    let plain = part.replace("()", "").replace("::", " ");
    let mut before = ' ';
    for c in plain.chars() {
        match c {
            '_' => text.push(' '),
            // A dot between two digits belongs to a number or a range.
            '.' if !before.is_ascii_digit() && before != '.' && before != ' ' => text.push(' '),
            '&' => {}
            _ => text.push(c),
        }
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::an_act("scene.submit(counted(1, 1).ttl(0)).await?;", &["submit: counted(1, 1) ttl(0)"])]
    #[case::a_wait_at_the_end("scene.wait(job().is_gone()).await", &["wait: job is gone"])]
    #[case::a_pod("scene.some_pod().succeeds().await?;", &["some pod succeeds"])]
    #[case::a_pod_by_index("scene.pod(3).fails(42).await?;", &["pod(3) fails(42)"])]
    #[case::a_mark("scene.mark(\"all_here\").await?;", &["mark: \"all_here\""])]
    #[case::nothing("Ok(())", &[])]
    #[case::a_comment("// why\n        scene.mark(\"x\").await", &["mark: \"x\""])]
    #[case::a_loop("for index in 0..3 {\n scene.pod(index).succeeds().await?;\n }\n scene.mark(\"x\").await", &[
        "for index in 0..3: pod(index) succeeds", "mark: \"x\""])]
    #[case::over_lines("scene\n            .wait(pods().count(2))\n            .await?;", &["wait: pods count(2)"])]
    fn steps(#[case] body: &str, #[case] expected: &[&str]) {
        let source = format!(
            "    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {{\n        {body}\n    }}\n\n    fn expects() {{}}\n"
        );
        assert_eq!(in_words(&source), expected);
    }

    #[test]
    fn a_file_without_a_script_has_no_steps() {
        assert_eq!(in_words("pub struct This;"), Vec::<String>::new());
    }
}
