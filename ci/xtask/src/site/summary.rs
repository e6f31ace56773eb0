//! The table of contents.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::workspace::SourceFile;

/// Parts of the book, each with the pages that come first in it. A page that ends with a slash stands for all below it.
const PARTS: [(&str, &[&str]); 7] = [
    (
        "Use",
        &[
            "docs/your-controller.md",
            "docs/existing-clusters.md",
            "docs/sharding.md",
            "docs/judging.md",
            "docs/reports.md",
            "docs/exit-codes.md",
            "docs/load.md",
            "docs/release-qualification.md",
            "docs/cli.md",
            "docs/glossary.md",
            "docs/stability.md",
        ],
    ),
    (
        "Clusters",
        &[
            "docs/kind.md",
            "docs/containers.md",
            "docs/changing-clusters.md",
            "docs/node-images.md",
            "docs/adding-a-version.md",
            "docs/kubernetes-1.37.md",
        ],
    ),
    (
        "Controllers",
        &[
            "docs/reference-controller.md",
            "docs/reference-requirements.md",
            "docs/differences.md",
            "docs/volcano.md",
            "docs/volcano-requirements.md",
            "docs/mutants.md",
        ],
    ),
    ("Catalogue", &["docs/catalogue.md", "catalogue/"]),
    (
        "Tables",
        &["tables/", "docs/invariants.md", "docs/races.md", "docs/requirements-judged.md", "docs/historical-bugs.md"],
    ),
    (
        "Development",
        &["CONTRIBUTING.md", "docs/writing-a-case.md", "docs/architecture.md", "docs/adr/README.md", "docs/adr/"],
    ),
    ("More", &["docs/", ""]),
];

/// Every page once, in the first part that names it.
pub fn of(pages: &[SourceFile]) -> String {
    let mut left: BTreeSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    let mut text = "# Summary\n\n".to_owned();
    if left.remove("README.md") {
        let _ = writeln!(text, "[{}](README.md)", title_of(pages, "README.md"));
    }
    for (name, first) in PARTS {
        let named = first.iter().flat_map(|prefix| {
            let all: Vec<&str> = left.iter().copied().filter(|path| is_below(path, prefix)).collect();
            all.iter().for_each(|path| _ = left.remove(path));
            all
        });
        let named: Vec<&str> = named.collect();
        if !named.is_empty() {
            let _ = writeln!(text, "\n# {name}\n");
        }
        for path in named {
            let _ = writeln!(text, "- [{}]({path})", title_of(pages, path));
        }
    }
    text
}

fn title_of<'a>(pages: &'a [SourceFile], path: &'a str) -> &'a str {
    pages.iter().find(|page| page.path == path).map_or(path, title)
}

fn is_below(path: &str, prefix: &str) -> bool {
    if prefix.is_empty() || prefix.ends_with('/') { path.starts_with(prefix) } else { path == prefix }
}

/// The first heading, without what would break a list of links.
fn title(page: &SourceFile) -> &str {
    let heading = page.text.lines().find_map(|line| line.strip_prefix("# "));
    heading.filter(|heading| !heading.contains(['[', ']'])).unwrap_or(&page.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_stands_in_the_first_part_that_names_it() {
        let page = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
        let pages = [
            page("README.md", "# It"),
            page("docs/judging.md", "# Verdicts"),
            page("docs/new.md", "no heading"),
            page("catalogue/ttl.md", "# Suite ttl"),
            page("docs/adr/README.md", "# Decisions"),
            page("docs/adr/0001.md", "# One"),
        ];
        let expected = "# Summary\n\n[It](README.md)\n\n# Use\n\n- [Verdicts](docs/judging.md)\n\n# Catalogue\n\n\
                        - [Suite ttl](catalogue/ttl.md)\n\n# Development\n\n- [Decisions](docs/adr/README.md)\n\
                        - [One](docs/adr/0001.md)\n\n# More\n\n- [docs/new.md](docs/new.md)\n";
        assert_eq!(of(&pages), expected);
    }
}
