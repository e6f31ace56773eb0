//! What every page of ours is: one file, one style, at most one script, and a policy that obeys nothing else.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("style.css");

/// A page that needs nothing beside it.
pub(crate) struct Sheet<'a> {
    /// The title, escaped by [`shown`](super::shown) where it has to be.
    pub title: &'a str,
    /// Where the first link leads, for those who do not want to step through everything, and what it says.
    pub skip: (&'a str, &'a str),
    /// What is not for eyes, before everything else.
    pub before: Markup,
    /// What is read.
    pub main: Markup,
    /// Data for the script.
    pub data: Markup,
    /// The only script, if there is one.
    pub script: Option<&'a str>,
}

impl Sheet<'_> {
    /// The page as text.
    pub(crate) fn render(self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy(self.script));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a.skip href=(self.skip.0) { (self.skip.1) }
                    (self.before)
                    main { (self.main) }
                    (self.data)
                    @if let Some(script) = self.script { script { (PreEscaped(script)) } }
                }
            }
        };
        page.into_string()
    }
}

/// Nothing is loaded, and only this style and this script are obeyed; pictures are within the page.
fn policy(script: Option<&str>) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    let script = script.map(|script| format!("script-src {}; ", hash(script))).unwrap_or_default();
    format!("default-src 'none'; style-src {}; {script}img-src data:; base-uri 'none'; form-action 'none'", hash(STYLE))
}
