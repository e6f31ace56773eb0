//! `observe --from`: reads what somebody else recorded.

use super::{
    Arguments, how,
    told::{self, History},
};
use crate::{
    case::Catalogue,
    cli::{Failure, Global, Stdout},
    plan::request,
    report::Exit,
};
use jobsworth_oracle::{Ending, import::Importer};
use serde_json::Value;
use std::{fs::File, io::BufReader, path::Path};

pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let kubernetes = request::kubernetes(arguments.kubernetes.as_deref())?;
    let mut importer = Importer::default();
    arguments.from.iter().try_for_each(|path| read(path, &mut importer))?;
    let names: Vec<String> = arguments.from.iter().map(|path| path.display().to_string()).collect();
    let from = names.join(", ");
    let imported = importer
        .finish(arguments.job.as_ref())
        .map_err(|error| Failure::misuse_with(format!("failed to use {from}: {error}"), HELP))?;
    let mut notes = imported.notes;
    if arguments.kubernetes.is_none() {
        notes.push(format!("judged as Kubernetes {kubernetes}: --kubernetes says which version it was"));
    }
    let history = History {
        setting: told::setting(&imported.choice, imported.started, kubernetes),
        entries: imported.entries,
        ending: Ending::Complete,
        notes,
        provider: "recording",
        from,
    };
    told::tell(history, &how(arguments.out, global, stdout), catalogue)
}

const HELP: &str = "an audit log of the API server as JSON lines, or the output of `kubectl get jobs -w -o json --output-watch-events`, \
                    and one more file for pods; --job NAMESPACE/NAME says which Job";

/// Values one after the other, with or without line breaks between them.
fn read(path: &Path, importer: &mut Importer) -> Result<(), Failure> {
    let failed = |why: String| Failure::misuse_with(format!("failed to read {}: {why}", path.display()), HELP);
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let values = serde_json::Deserializer::from_reader(BufReader::new(file)).into_iter::<Value>();
    for (number, value) in values.enumerate() {
        let taken = match value {
            Ok(value) => importer.take(value),
            // A watch that was stopped, or a log that is being written: what came before is whole.
            Err(error) if error.is_eof() && number > 0 => return Ok(()),
            Err(error) => Err(error.to_string()),
        };
        taken.map_err(|why| failed(format!("value {}: {why}", number + 1)))?;
    }
    Ok(())
}
