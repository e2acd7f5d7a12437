//! Addresses of servers and lengths of time, as users type them.

use std::time::Duration;
use url::Url;

/// The address of a WebSocket server, for a program's command line.
///
/// # Errors
/// What is wrong with it.
pub fn ws_url(text: &str) -> Result<String, String> {
    url(text, ["ws", "wss"])
}

/// The same of an HTTP server.
///
/// # Errors
/// What is wrong with it.
pub fn http_url(text: &str) -> Result<String, String> {
    url(text, ["http", "https"])
}

/// A number of seconds, with a fraction or without, for a program's command line.
///
/// # Errors
/// What is wrong with it.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let expected = |reason: &str| format!("{reason}; expected a number of seconds, such as 0.5");
    let seconds: f64 = text.parse().map_err(|_| expected("not a number"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| expected(&error.to_string()))
}

fn url(text: &str, [plain, encrypted]: [&str; 2]) -> Result<String, String> {
    let expected =
        |reason: &str| format!("{reason}; expected {plain}://host:port or {encrypted}://host:port");
    let url = Url::parse(text).map_err(|error| expected(&error.to_string()))?;
    if ![plain, encrypted].contains(&url.scheme()) {
        return Err(expected("another kind of address"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_right_scheme_and_a_host_and_a_port_that_there_can_be() {
        for good in [
            "ws://a",
            "ws://127.0.0.1:9944",
            "wss://[::1]:1/path?key=1",
            "WS://A",
        ] {
            assert_eq!(ws_url(good), Ok(good.to_owned()));
        }
        for bad in [
            "",
            "ws",
            "ws://",
            "ws://:9944",
            "ws://a:99999",
            "ws://a b",
            "http://a",
            "127.0.0.1:9944",
            "/tmp",
        ] {
            let error = ws_url(bad).expect_err(bad);
            assert!(error.ends_with("expected ws://host:port or wss://host:port"));
        }
        assert!(http_url("https://a").is_ok() && http_url("wss://a").is_err());
    }

    #[test]
    fn a_number_of_seconds_is_one_that_a_clock_can_show() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["-1", "NaN", "1e99", "inf", "", "1 s"] {
            let error = seconds(bad).expect_err(bad);
            assert!(error.ends_with("expected a number of seconds, such as 0.5"));
        }
    }
}
