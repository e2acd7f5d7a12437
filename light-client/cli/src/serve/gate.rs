//! Access to this server. Web pages are refused unless they are allowed by name: their requests carry an `Origin`,
//! and after DNS rebinding the `Host` of the page.

use crate::serve::flow::{Flow, Message};
use jsonrpsee::{
    core::BoxError,
    server::{HttpBody, HttpRequest, HttpResponse},
};
use std::{
    future::Future,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower::Service;

/// Names and pages that are let in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowed {
    /// Names of this machine, besides `localhost` and addresses.
    pub(crate) hosts: Vec<String>,
    /// Origins of pages.
    pub(crate) origins: Vec<String>,
}

/// The decision on a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// No browser sent it.
    Pass,
    /// From an allowed page.
    PassPage(String),
    /// A browser asks whether such a page may send it.
    Preflight(String),
    Refuse(&'static str),
}

impl Allowed {
    fn judge<B>(&self, request: &HttpRequest<B>) -> Verdict {
        let text = |name: &str| {
            let value = request.headers().get(name);
            value.map(|value| value.to_str().unwrap_or_default().to_owned())
        };
        let authority = request.uri().authority().map(ToString::to_string);
        let Some(host) = text("host").or(authority) else {
            return Verdict::Refuse("the request has no host");
        };
        if !self.is_host(&host) {
            return Verdict::Refuse("the request is for another host; see --allow-host");
        }
        match text("origin") {
            None => Verdict::Pass,
            Some(origin) if !self.origins.contains(&origin) => {
                Verdict::Refuse("pages of this origin are not allowed; see --allow-origin")
            }
            Some(origin) if request.method().as_str() == "OPTIONS" => Verdict::Preflight(origin),
            Some(origin) => Verdict::PassPage(origin),
        }
    }

    /// Whether this is a name of this machine. An address cannot be rebound.
    fn is_host(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            // The colons of an address in brackets are not before a port.
            Some((name, port)) if !port.contains(']') => name,
            _ => host,
        };
        let address = name.trim_start_matches('[').trim_end_matches(']');
        let is_named = |allowed: &String| allowed.eq_ignore_ascii_case(name);
        name.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.hosts.iter().any(is_named)
    }
}

/// Admits allowed clients, as part of the flow of their connections.
#[derive(Clone, Debug)]
pub(crate) struct Gate<S> {
    inner: S,
    allowed: Arc<Allowed>,
    flow: Arc<Flow>,
}

impl<S> Gate<S> {
    pub(crate) fn new(inner: S, allowed: Arc<Allowed>, flow: Arc<Flow>) -> Self {
        Self {
            inner,
            allowed,
            flow,
        }
    }
}

impl<S, B> Service<HttpRequest<B>> for Gate<S>
where
    S: Service<HttpRequest<B>, Response = HttpResponse, Error = BoxError>,
    S::Future: Send + 'static,
{
    type Response = HttpResponse;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: HttpRequest<B>) -> Self::Future {
        self.flow.count_head();
        request.extensions_mut().insert(Message::of(&self.flow));
        let origin = match self.allowed.judge(&request) {
            Verdict::Pass => return Box::pin(self.inner.call(request)),
            Verdict::PassPage(origin) => origin,
            Verdict::Preflight(origin) => {
                return Box::pin(async move { response(204, "", Some(&origin)) })
            }
            Verdict::Refuse(why) => return Box::pin(async move { response(403, why, None) }),
        };
        let answer = self.inner.call(request);
        Box::pin(async move {
            let mut answer = answer.await?;
            let value = origin.parse()?;
            answer
                .headers_mut()
                .insert("access-control-allow-origin", value);
            Ok(answer)
        })
    }
}

fn response(status: u16, why: &str, origin: Option<&str>) -> Result<HttpResponse, BoxError> {
    let mut builder = HttpResponse::<()>::builder().status(status);
    if let Some(origin) = origin {
        builder = builder
            .header("access-control-allow-origin", origin)
            .header("access-control-allow-methods", "POST")
            .header("access-control-allow-headers", "content-type");
    }
    Ok(builder.body(HttpBody::from(format!("{why}\n")))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(headers: &[(&str, &str)], method: &str) -> Verdict {
        let allowed = Allowed {
            hosts: vec!["box.example".to_owned()],
            origins: vec!["https://page.example".to_owned()],
        };
        let mut request = HttpRequest::new(());
        *request.method_mut() = method.parse().expect("a method");
        for (name, value) in headers {
            let name: &'static str = match *name {
                "host" => "host",
                _ => "origin",
            };
            request
                .headers_mut()
                .insert(name, value.parse().expect("a value"));
        }
        allowed.judge(&request)
    }

    #[test]
    fn a_name_that_may_be_rebound_is_refused() {
        for host in [
            "localhost",
            "LOCALHOST:9944",
            "127.0.0.1:1",
            "[::1]:9",
            "[::1]",
            "10.0.0.7",
            "box.example:80",
        ] {
            assert_eq!(judge(&[("host", host)], "POST"), Verdict::Pass, "{host}");
        }
        for host in [
            "evil.example:9944",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
            "127.0.0.1:1:2x.example",
        ] {
            let refused = matches!(judge(&[("host", host)], "POST"), Verdict::Refuse(_));
            assert!(refused, "{host}");
        }
        assert!(matches!(judge(&[], "POST"), Verdict::Refuse(_)));
    }

    #[test]
    fn a_page_is_refused_unless_its_origin_is_named() {
        let from = |origin, method| judge(&[("host", "localhost"), ("origin", origin)], method);
        let named = "https://page.example";
        assert_eq!(from(named, "GET"), Verdict::PassPage(named.to_owned()));
        assert_eq!(from(named, "OPTIONS"), Verdict::Preflight(named.to_owned()));
        for other in [
            "http://page.example",
            "https://page.example:444",
            "http://localhost",
            "null",
            "",
        ] {
            assert!(matches!(from(other, "GET"), Verdict::Refuse(_)), "{other}");
        }
    }
}
