//! Runs one session with a release of the Rust client and prints what it saw, a line for each step: see ../../README.md.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use centrifuge::{Client, HistoryOptions, Protocol};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, encoding, channel, token, channel_token] = args.as_slice() else {
        return Err("five arguments are needed".into());
    };
    let protocol = if encoding == "json" { Protocol::Json } else { Protocol::Protobuf };
    let client = Client::builder(url.as_str())
        .protocol(protocol)
        .token(token.as_str())
        .min_reconnect_delay(Duration::from_millis(50))
        .max_reconnect_delay(Duration::from_millis(200))
        .build()?;
    let (sender, mut numbers) = mpsc::unbounded_channel();
    let outcome = Arc::new(Mutex::new(""));
    let seen = outcome.clone();
    let subscription = client
        .new_subscription(channel.as_str())
        .token(channel_token.as_str())
        .on_publication(move |_, event| {
            let _ = sender.send(decode(&event.data));
        })
        .on_subscribed(move |_, event| {
            if event.was_recovering {
                *seen.lock().unwrap() = if event.recovered { "recovered" } else { "not recovered" };
            }
        })
        .build()?;

    let patience = Some(Duration::from_secs(20));
    client.connect()?;
    client.ready(patience).await?;
    println!("connect");
    subscription.subscribe();
    subscription.ready(patience).await?;
    println!("subscribe");
    println!("receive {}", received(&mut numbers, 1).await);
    subscription.publish(r#"{"n":2}"#).await?;
    println!("publish {}", received(&mut numbers, 1).await);
    let history = subscription.history(HistoryOptions::new().limit(10)).await?;
    let stored: Vec<String> = history.publications.iter().map(|each| decode(&each.data)).collect();
    println!("history {}", stored.join(" "));
    let presence = subscription.presence().await?;
    let users: Vec<String> = presence.clients.values().map(|info| info.user.to_string()).collect();
    println!("presence {}", users.join(" "));
    let missed = received(&mut numbers, 3).await;
    let outcome = *outcome.lock().unwrap();
    println!("recovery {outcome} {missed}");
    client.close().await;
    Ok(())
}

/// The number in `{"n":1}`.
fn decode(data: &[u8]) -> String {
    String::from_utf8_lossy(data).chars().filter(char::is_ascii_digit).collect()
}

async fn received(numbers: &mut mpsc::UnboundedReceiver<String>, count: usize) -> String {
    let mut all = Vec::new();
    while all.len() < count {
        all.push(numbers.recv().await.expect("the client stopped"));
    }
    all.join(" ")
}
