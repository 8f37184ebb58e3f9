//! A request of a browser, and its answer.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of the first line and the headers of a request.
pub(super) const MOST_HEADER: usize = 8 << 10;
/// The most headers.
const MOST_HEADERS: usize = 64;
/// The time limit for the first line and the headers, and that for a whole request.
pub(super) const HEADER_TIME: Duration = Duration::from_secs(5);
const BODY_TIME: Duration = Duration::from_secs(60);

/// A request of a browser.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) host: Vec<String>,
    pub(super) origin: Option<String>,
    /// The `Sec-Fetch-Site` header: whether our own page sends the request.
    pub(super) site: Option<String>,
    pub(super) length: Option<u64>,
    /// The part of the body that was read with the headers.
    body: Vec<u8>,
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) policy: Option<String>,
}

impl Answer {
    pub(super) fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, kind, body: body.into(), policy: None }
    }

    /// Creates an answer with an error as text.
    pub(super) fn error(status: u16, why: &str) -> Self {
        Self { status, ..Self::new("text/plain; charset=utf-8", why) }
    }

    pub(super) fn write(&self, to: &mut TcpStream, head_only: bool) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            411 => "Length Required",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let policy = self.policy.as_deref().unwrap_or("default-src 'none'");
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: {policy}; frame-ancestors 'none'\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
        );
        to.set_write_timeout(Some(BODY_TIME))?;
        to.write_all(head.as_bytes())?;
        if !head_only {
            to.write_all(&self.body)?;
        }
        to.flush()
    }
}

/// Reads into `bytes` until `done` returns true, or returns an error answer.
fn receive(
    from: &mut TcpStream,
    bytes: &mut Vec<u8>,
    until: Instant,
    mut done: impl FnMut(&[u8]) -> Result<bool, Answer>,
) -> Result<(), Answer> {
    let slow = || Answer::error(408, "the request took too long");
    let mut part = vec![0; 16 << 10];
    while !done(bytes)? {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || from.set_read_timeout(Some(left)).is_err() {
            return Err(slow());
        }
        match from.read(&mut part) {
            Ok(0) => return Err(Answer::error(400, "the request ends early")),
            Ok(n) => bytes.extend_from_slice(part.get(..n).unwrap_or_default()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(slow()),
        }
    }
    Ok(())
}

impl Request {
    /// Reads the first line and the headers.
    pub(super) fn head(from: &mut TcpStream) -> Result<Self, Answer> {
        let (mut bytes, mut request) = (Vec::new(), Self::default());
        let until = Instant::now().checked_add(HEADER_TIME).unwrap_or_else(Instant::now);
        receive(from, &mut bytes, until, |bytes| {
            let Some(parsed) = Self::parse(bytes)? else {
                if bytes.len() > MOST_HEADER {
                    return Err(Answer::error(431, "the headers are too long"));
                }
                return Ok(false);
            };
            request = parsed;
            Ok(true)
        })?;
        Ok(request)
    }

    /// Parses a request; `None` if the headers are not complete.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, Answer> {
        const END: &[u8] = b"\r\n\r\n";
        let wrong = |why: &str| Answer::error(400, why);
        let seen = bytes.get(..bytes.len().min(MOST_HEADER)).unwrap_or_default();
        if !seen.iter().take_while(|byte| **byte != b' ').all(u8::is_ascii_uppercase) {
            return Err(wrong("wrong method"));
        }
        let Some(end) = seen.windows(END.len()).position(|part| part == END) else { return Ok(None) };
        let head = String::from_utf8_lossy(seen.get(..end).unwrap_or_default());
        let mut lines = head.split("\r\n");
        let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, path, "HTTP/1.1" | "HTTP/1.0"] = first.as_slice() else {
            return Err(wrong("wrong request line"));
        };
        if method.is_empty() || path.is_empty() || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("wrong request line"));
        }
        if lines.clone().count() > MOST_HEADERS {
            return Err(Answer::error(431, "too many headers"));
        }
        let body = bytes.get(end.saturating_add(END.len())..).unwrap_or_default().to_vec();
        let mut request =
            Self { method: (*method).to_owned(), path: (*path).to_owned(), body, ..Self::default() };
        for line in lines {
            let (name, text) = line.split_once(':').ok_or_else(|| wrong("a header without a colon"))?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            // Lone line ends are control characters too.
            if name.is_empty()
                || !name.bytes().all(is_name)
                || text.chars().any(|c| c.is_control() && c != '\t')
            {
                return Err(wrong("wrong header"));
            }
            let value = || text.trim_matches([' ', '\t']).to_owned();
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host.push(value()),
                "origin" => request.origin = Some(value()),
                "sec-fetch-site" => request.site = Some(value()),
                "transfer-encoding" => return Err(Answer::error(411, "the body needs a Content-Length")),
                "content-length" => {
                    let digits = value();
                    let length = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
                    if length.is_none() || request.length.is_some() {
                        return Err(Answer::error(400, "wrong Content-Length"));
                    }
                    request.length = length;
                }
                _ => {}
            }
        }
        Ok(Some(request))
    }

    /// Reads the body, of at most `most` bytes.
    pub(super) fn body(&mut self, from: &mut TcpStream, most: u64) -> Result<Vec<u8>, Answer> {
        let length = self.length.ok_or_else(|| Answer::error(411, "the body needs a Content-Length"))?;
        let wanted = usize::try_from(length).ok().filter(|_| length <= most);
        let wanted = wanted.ok_or_else(|| Answer::error(413, "the files are too large"))?;
        let mut bytes = std::mem::take(&mut self.body);
        let until = Instant::now().checked_add(BODY_TIME).unwrap_or_else(Instant::now);
        receive(from, &mut bytes, until, |bytes| Ok(bytes.len() >= wanted))?;
        bytes.truncate(wanted);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_or_refused() {
        let ok = b"POST /t/drop HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Length: 3\r\n\r\nabc";
        let request = Request::parse(ok).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/t/drop"));
        assert_eq!((request.host, request.origin.as_deref()), (vec!["a".to_owned()], Some("http://a")));
        assert_eq!((request.length, request.body), (Some(3), b"abc".to_vec()));
        assert!(Request::parse(b"GET / HTTP/1.1\r\nHost").unwrap().is_none());
        let refused = |bytes: &[u8]| Request::parse(bytes).unwrap_err().status;
        for bytes in [
            &b"\0\0\0"[..],
            b"get / HTTP/1.1\r\n\r\n",
            b"GET  / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/2\r\n\r\n",
            b"GET /\n HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            b"GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\nOrigin: b\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        ] {
            assert_eq!(refused(bytes), 400, "{}", bytes.escape_ascii());
        }
        assert_eq!(refused(b"GET / HTTP/1.1\r\nContent-Length: +3\r\n\r\n"), 400);
        assert_eq!(refused(b"GET / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n"), 400);
        assert_eq!(refused(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(65));
        assert_eq!(refused(many.as_bytes()), 431);
    }
}
