//! One small question to whatever listens at a socket, answered in JSON: for what has to be known before there is a
//! client, and for what the client's own types refuse.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::UnixStream;

/// How long a socket may take to answer; a busy daemon takes seconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// What answers with more than this does not answer what was asked.
const MOST_BYTES: usize = 1 << 20;

/// What the runtime at `socket` answers to a `GET` of `target`, a path with its query.
///
/// The target names no version of the API: a runtime takes that for its own newest, and may refuse one that is too old.
///
/// # Errors
/// When nobody listens, may listen or answers in time (with that kind of error), and when the answer is no success or
/// no JSON.
pub async fn get(socket: &Path, target: &str) -> io::Result<Value> {
    let answered = tokio::time::timeout(PATIENCE, exchange(socket, target)).await;
    answered.unwrap_or_else(|_| {
        Err(io::Error::new(ErrorKind::TimedOut, format!("no answer within {} s", PATIENCE.as_secs())))
    })
}

async fn exchange(socket: &Path, target: &str) -> io::Result<Value> {
    let stream = UnixStream::connect(socket).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    // It ends with the sender, or tells the sender why not.
    tokio::spawn(connection);
    let request = Request::get(target).header(header::HOST, "localhost").body(Empty::<Bytes>::new());
    let answer = sender.send_request(request.map_err(io::Error::other)?).await.map_err(io::Error::other)?;
    let status = answer.status();
    if !status.is_success() {
        return Err(io::Error::other(format!("it answers with {status}")));
    }
    let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await.map_err(io::Error::other)?;
    serde_json::from_slice(&body.to_bytes()).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::UnixListener;

    /// What is made of this answer, and the first line of the question.
    async fn asked(answer: &'static str) -> (io::Result<Value>, String) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("runtime.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut question = Vec::new();
            while !question.ends_with(b"\r\n\r\n") {
                question.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8(question).unwrap().lines().next().unwrap().to_owned()
        });
        (get(&socket, "/version").await, server.await.unwrap())
    }

    #[rstest]
    #[case::in_one_piece("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}")]
    #[case::in_several("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n")]
    #[case::until_the_end("HTTP/1.0 200 OK\r\n\r\n{\"a\":1}")]
    #[tokio::test]
    async fn an_answer_is_read_however_it_is_sent(#[case] answer: &'static str) {
        let (answer, question) = asked(answer).await;
        assert_eq!(answer.unwrap(), serde_json::json!({"a": 1}));
        assert_eq!(question, "GET /version HTTP/1.1");
    }

    #[rstest]
    #[case::a_refusal("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "400 Bad Request")]
    #[case::no_json("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "expected value")]
    #[case::no_http("SSH-2.0-OpenSSH_9.2\r\n", "invalid HTTP version")]
    #[tokio::test]
    async fn anything_else_is_an_error_that_says_what_came(#[case] answer: &'static str, #[case] says: &str) {
        let told = asked(answer).await.0.unwrap_err().to_string();
        assert!(told.contains(says), "{told}");
    }
}
