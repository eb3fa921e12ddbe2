//! The responses of a server with TLS to requests without TLS. It accepts no login, token or cookie in these requests.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{Html as Page, IntoResponse, Redirect, Response};
use claw_view::html::Html;

use super::{Authority, Tls};
use crate::api::Refusal;
use crate::guard::{Guard, single_value};

/// The path of the authority's certificate.
const CERTIFICATE: &str = "/claw-ca.crt";

/// The style of the page. It loads no other files.
const STYLE: &str = "
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1f26; --link: #2757c4; }
@media (prefers-color-scheme: dark) { :root { --paper: #10131a; --ink: #e6e8ec; --link: #86aaff; } }
html { background: var(--paper); color: var(--ink); } a { color: var(--link); }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 1.5rem; }
a.button { display: inline-block; padding: .7rem 1rem; border: 1px solid currentColor; border-radius: .5rem; font-weight: 600; text-decoration: none; }
li { margin: .4rem 0; } code { font-size: .85rem; }
";

/// The state that the routes share.
struct Plain {
    guard: Arc<Guard>,
    authority: Option<Arc<Authority>>,
}

/// Returns the routes of connections without TLS.
pub(crate) fn router(guard: Arc<Guard>, tls: &Tls) -> Router {
    let authority = tls.authority().cloned();
    let plain = Arc::new(Plain { guard, authority });
    Router::new().fallback(answer).with_state(plain)
}

async fn answer(State(plain): State<Arc<Plain>>, request: Request) -> Response {
    let mut response = match plain.respond(&request) {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
    ] {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

impl Plain {
    fn respond(&self, request: &Request) -> Result<Response, Refusal> {
        let headers = request.headers();
        let host = single_value(headers, &header::HOST)?.unwrap_or_default();
        if !self.guard.is_host(host) {
            return Err(Refusal::wrong_host());
        }
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if let Some(authority) = self.authority.as_ref().filter(|_| is_read) {
            if request.uri().path() == CERTIFICATE {
                return Ok(certificate(authority));
            }
            // The device may not trust the authority yet, and would then refuse the connection after a redirect to HTTPS. So
            // every path shows the page with the steps.
            if is_page(headers) {
                return Ok(Page(install(host, authority)).into_response());
            }
        }
        if !is_read || !is_page(headers) {
            let text = format!("this server accepts requests by HTTPS only: https://{host}");
            return Err(Refusal::new(StatusCode::FORBIDDEN, "https", text));
        }
        // The path may contain the code of a login link, which was sent without TLS. So the redirect does not repeat the path.
        Ok(Redirect::temporary(&format!("https://{host}/")).into_response())
    }
}

/// Returns whether a browser requests a page.
fn is_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn certificate(authority: &Authority) -> Response {
    let headers: [(HeaderName, &str); 2] = [
        // With this type, phones open the certificate in their settings.
        (header::CONTENT_TYPE, "application/x-x509-ca-cert"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=claw-ca.crt",
        ),
    ];
    (headers, authority.certificate().to_vec()).into_response()
}

/// Returns the page with the steps to trust the authority.
fn install(host: &str, authority: &Authority) -> String {
    Html::fragment(|html| page(html, host, authority))
}

fn page<W: io::Write>(html: &mut Html<W>, host: &str, authority: &Authority) -> io::Result<()> {
    html.raw(concat!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Set up this device</title>\n<style>"
    ))?;
    html.raw(STYLE)?;
    html.raw(concat!(
        "</style>\n</head>\n<body>\n<main>\n<h1>Set up this device</h1>\n",
        "<p>Once for each device: install the certificate of the computer that runs claw. Then the connection is encrypted, and notifications work.</p>\n",
        "<p><a class=\"button\" href=\""
    ))?;
    html.raw(CERTIFICATE)?;
    html.raw("\">Download the certificate</a></p>\n<p>It is named <b>")?;
    html.text(authority.name())?;
    // The page does not show the fingerprint. It would prove nothing, because it would come over the same connection as the
    // certificate.
    html.raw(concat!(
        "</b>. Whoever controls the network can have replaced it. So compare the SHA-256 that this device shows with the one that claw prints on the computer.</p>\n",
        "<h2>iPhone and iPad</h2>\n<ol>\n<li>Open this page in Safari, tap “Download the certificate”, and tap “Allow”.</li>\n",
        "<li>Open Settings, and tap “Profile Downloaded”. Open More Details and the certificate: if its SHA-256 is the one on the computer, install it.</li>\n",
        "<li>In Settings, open General, About, Certificate Trust Settings, and turn the certificate on.</li>\n</ol>\n",
        "<h2>Android</h2>\n<ol>\n<li>Tap “Download the certificate”.</li>\n",
        "<li>Open Settings, search for “CA certificate”, tap it, and tap “Install anyway”.</li>\n",
        "<li>Choose the file claw-ca.crt among the downloads.</li>\n",
        "<li>Search the settings for “Trusted credentials”, open User, and tap the certificate: if its SHA-256 is not the one on the computer, remove it.</li>\n</ol>\n",
        "<p>Devices accept this certificate for addresses of private networks and of that computer, and for its name below “local”, only. To remove it, use the same settings.</p>\n",
        "<h2>Then</h2>\n<p>Scan the code for the login, which is beside the code of this page. On a device that is logged in: <a href=\"https://"
    ))?;
    html.text(host)?;
    html.raw("/\">open claw</a>. If the browser warns of the certificate, a step is missing.</p>\n</main>\n</body>\n</html>\n")
}
