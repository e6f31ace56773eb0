//! Objects that lists and watches bring, on their way through a decorator.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::{AsyncBufReadExt, TryStreamExt, stream};
use http::Response;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::Payload;
use crate::Decorator;
use crate::call::{Answer, Call};
use crate::decorator::Line;

/// Shows every object of a list to the decorator.
pub(super) fn in_list(decorator: &dyn Decorator, call: &Call, answer: &mut Answer) {
    let mut list = answer.json();
    let Some(items) = list.get_mut("items").and_then(Value::as_array_mut) else { return };
    for item in items {
        decorator.show(call, item);
    }
    answer.body = list.to_string().into();
}

/// A watch, line by line through the decorator: changed, late, cut.
pub(super) fn through(decorator: Arc<dyn Decorator>, call: Call, response: Response<Payload>) -> Response<Payload> {
    let (lag, cut) = (decorator.lag(&call), decorator.cut(&call));
    if lag.is_zero() && cut.is_none() && !decorator.shows() {
        return response;
    }
    let (head, body) = response.into_parts();
    let (sender, receiver) = mpsc::unbounded_channel::<(Instant, String)>();
    let end = cut.map(|time| Instant::now() + time);
    tokio::spawn(async move {
        let mut lines = body.into_data_stream().into_async_read().lines();
        let read = async {
            while let Ok(Some(line)) = lines.try_next().await {
                let Some(line) = shown(&*decorator, &call, line) else { return };
                if sender.send((Instant::now() + lag, line)).is_err() {
                    return;
                }
            }
        };
        match end {
            Some(end) => {
                let _ = tokio::time::timeout_at(end, read).await;
            }
            None => read.await,
        }
    });
    let late = stream::unfold(receiver, |mut receiver| async move {
        let (due, mut line) = receiver.recv().await?;
        sleep_until(due).await;
        line.push('\n');
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from(line))), receiver))
    });
    Response::from_parts(head, BodyExt::map_err(StreamBody::new(late), |never| match never {}).boxed_unsync())
}

/// The line as it goes on; `None` when the watch ends before it.
fn shown(decorator: &dyn Decorator, call: &Call, line: String) -> Option<String> {
    if !decorator.shows() {
        return Some(line);
    }
    let Ok(mut frame) = serde_json::from_str::<Value>(&line) else { return Some(line) };
    if decorator.line(call, &mut frame) == Line::End {
        return None;
    }
    if let Some(object) = frame.get_mut("object") {
        decorator.show(call, object);
    }
    Some(frame.to_string())
}
