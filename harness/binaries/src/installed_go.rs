//! The `go` command of this machine, as far as it would build any of the pinned modules.

use std::process::Command;

/// The Go version that the pinned modules of every known Kubernetes build with.
pub const GO_NEEDED: &str = "1.26";

/// The version of the `go` that would build.
///
/// # Errors
/// Says in words what is wrong with it, or that there is none.
pub fn installed_go() -> Result<String, String> {
    let output = Command::new("go")
        .args(["env", "GOVERSION"])
        .env("GOTOOLCHAIN", "local")
        .env("GOWORK", "off")
        .output()
        .map_err(|error| format!("`go` cannot be run ({error})"))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().trim_start_matches("go").to_owned();
    let numbers = |text: &str| -> Vec<u32> {
        text.split('.')
            .map(|part| part.chars().take_while(char::is_ascii_digit).collect::<String>())
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    if numbers(&said) < numbers(GO_NEEDED) {
        return Err(format!("Go {said} is older than {GO_NEEDED}"));
    }
    Ok(said)
}
