//! A server for one page that only listens on the loopback address.

use super::request::{Answer, Request};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The most clients that are served at the same time.
const MOST_CLIENTS: usize = 16;

/// The answers to requests; `path` is the part after the token.
pub(super) trait Site: Sync {
    /// Answers a GET request.
    fn get(&self, path: &str) -> Answer;
    /// Answers a POST request, whose body holds files.
    fn post(&self, path: &str, body: Vec<u8>) -> Answer;
    /// Returns the most bytes of such a body.
    fn most(&self) -> u64;
}

/// A listener at a port that the system chose, with a secret token.
pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
    clients: AtomicUsize,
    /// Held by the client that uploads files. Only one uploads at a time, so all of them together need no more memory
    /// than one.
    taking: Mutex<()>,
}

/// The slot of a client, which is released even if its thread panics.
struct ClientSlot<'a> {
    clients: &'a AtomicUsize,
    /// The number of clients before this one.
    number: usize,
}

impl<'a> ClientSlot<'a> {
    fn take(clients: &'a AtomicUsize) -> Self {
        Self { number: clients.fetch_add(1, Ordering::SeqCst), clients }
    }
}

impl Drop for ClientSlot<'_> {
    fn drop(&mut self) {
        self.clients.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Server {
    pub(super) fn new() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port, token: token(), clients: AtomicUsize::new(0), taking: Mutex::new(()) })
    }

    /// Returns the address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Answers requests until the program ends.
    pub(super) fn run(&self, site: &impl Site) {
        std::thread::scope(|scope| {
            loop {
                let Ok((mut client, from)) = self.listener.accept() else {
                    // File descriptors ran out: wait until some are closed.
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                };
                if !from.ip().is_loopback() {
                    continue;
                }
                let place = ClientSlot::take(&self.clients);
                if place.number >= MOST_CLIENTS {
                    let _ = client.set_write_timeout(Some(Duration::from_millis(200)));
                    let _ = Answer::error(503, "too many clients").write(&mut client, false);
                    continue;
                }
                let serve = move || {
                    let _place = place;
                    let _ = self.serve(&mut client, site);
                    let _ = client.shutdown(Shutdown::Both);
                };
                // If no thread can be started, the client and its slot are dropped.
                let _ = std::thread::Builder::new().spawn_scoped(scope, serve);
            }
        });
    }

    fn serve(&self, client: &mut TcpStream, site: &impl Site) -> io::Result<()> {
        let (answer, head_only) = match Request::head(client) {
            Ok(mut request) => {
                let head_only = request.method == "HEAD";
                (self.answer(&mut request, client, site).unwrap_or_else(|refusal| refusal), head_only)
            }
            Err(refusal) => (refusal, false),
        };
        answer.write(client, head_only)?;
        // If unread input remained, the system would discard the answer.
        client.shutdown(Shutdown::Write)?;
        client.set_read_timeout(Some(Duration::from_millis(300)))?;
        let mut rest = [0; 4096];
        let mut left: usize = 64;
        while left > 0 && client.read(&mut rest).is_ok_and(|n| n > 0) {
            left = left.saturating_sub(1);
        }
        Ok(())
    }

    fn answer(
        &self,
        request: &mut Request,
        client: &mut TcpStream,
        site: &impl Site,
    ) -> Result<Answer, Answer> {
        self.admit(request)?;
        let path = request.path.strip_prefix('/').and_then(|p| p.strip_prefix(self.token.as_str()));
        let path = path.and_then(|p| p.strip_prefix('/')).map(str::to_owned);
        let path = path.ok_or_else(|| Answer::error(404, "not found"))?;
        match request.method.as_str() {
            "GET" | "HEAD" => Ok(site.get(&path)),
            // Only our own page uploads files, and browsers send the origin.
            "POST" if request.origin.is_none() => Err(Answer::error(403, "the request has no origin")),
            "POST" => {
                let _turn = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(site.post(&path, request.body(client, site.most())?))
            }
            _ => Err(Answer::error(405, "only GET, HEAD and POST are supported")),
        }
    }

    /// Refuses requests of another page, or for another host name.
    fn admit(&self, request: &Request) -> Result<(), Answer> {
        let own = format!("127.0.0.1:{}", self.port);
        let [host] = request.host.as_slice() else {
            return Err(Answer::error(400, "the request needs one Host header"));
        };
        if *host != own {
            return Err(Answer::error(403, "this host is not served"));
        }
        let foreign = request.origin.as_ref().is_some_and(|o| *o != format!("http://{own}"));
        let cross = request.site.as_ref().is_some_and(|s| s != "same-origin" && s != "none");
        if foreign || cross {
            return Err(Answer::error(403, "requests of other pages are refused"));
        }
        Ok(())
    }
}

/// Returns 128 bits that cannot be guessed: the standard library seeds its hashes with random bits of the system.
fn token() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

#[cfg(test)]
mod tests {
    use super::super::request::HEADER_TIME;
    use super::*;
    use std::io::Write as _;
    use std::sync::Arc;
    use std::time::Instant;

    struct Echo;

    impl Site for Echo {
        fn get(&self, path: &str) -> Answer {
            if path == "missing" { Answer::error(404, "no") } else { Answer::new("text/plain", path) }
        }
        fn post(&self, _: &str, body: Vec<u8>) -> Answer {
            Answer::new("text/plain", format!("{} bytes", body.len()))
        }
        fn most(&self) -> u64 {
            100
        }
    }

    fn started() -> Arc<Server> {
        let server = Arc::new(Server::new().unwrap());
        let own = Arc::clone(&server);
        std::thread::spawn(move || own.run(&Echo));
        server
    }

    fn request(server: &Server, text: &str) -> String {
        let mut client = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = client.write_all(text.as_bytes());
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn only_our_own_page_is_answered() {
        let server = started();
        let (port, token) = (server.port, server.token.clone());
        assert_eq!((token.len(), server.address()), (32, format!("http://127.0.0.1:{port}/{token}/")));
        assert_ne!(Server::new().unwrap().token, token);
        let host = format!("Host: 127.0.0.1:{port}\r\n");
        let own = format!("Origin: http://127.0.0.1:{port}\r\n");
        let status = |text: String| request(&server, &text).get(9..12).unwrap_or("none").to_owned();
        let ask = |line: &str, headers: &str| status(format!("{line} HTTP/1.1\r\n{headers}\r\n"));
        let good = format!("GET /{token}/x");
        assert_eq!(ask(&good, &host), "200");
        assert_eq!(ask(&good, &format!("{host}{own}Sec-Fetch-Site: same-origin\r\n")), "200");
        assert_eq!(ask(&good, ""), "400", "no host");
        assert_eq!(ask(&good, &format!("{host}{host}")), "400", "two hosts");
        for host in ["example.com", "localhost", "127.0.0.1", "127.0.0.1:1"] {
            assert_eq!(ask(&good, &format!("Host: {host}\r\n")), "403", "{host}");
        }
        for origin in ["http://example.com", "null", "https://127.0.0.1", ""] {
            assert_eq!(ask(&good, &format!("{host}Origin: {origin}\r\n")), "403", "{origin}");
        }
        assert_eq!(ask(&good, &format!("{host}Sec-Fetch-Site: cross-site\r\n")), "403");
        for path in ["/", "/x", &format!("/{token}"), &format!("/{token}/missing"), "/../etc/passwd", "*"] {
            assert_eq!(ask(&format!("GET {path}"), &host), "404", "{path}");
        }
        for method in ["PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"] {
            assert_eq!(ask(&format!("{method} /{token}/x"), &host), "405", "{method}");
        }
        let post = format!("POST /{token}/drop");
        assert_eq!(ask(&post, &format!("{host}Content-Length: 0\r\n")), "403", "who asks");
        assert_eq!(ask(&post, &format!("{host}{own}")), "411");
        assert_eq!(ask(&post, &format!("{host}{own}Content-Length: 101\r\n")), "413");
        let whole = format!("{post} HTTP/1.1\r\n{host}{own}Content-Length: 5\r\n\r\nhello and more");
        assert!(request(&server, &whole).ends_with("\r\n\r\n5 bytes"));
        let head = request(&server, &format!("HEAD /{token}/x HTTP/1.1\r\n{host}\r\n"));
        assert!(head.contains("Content-Length: 1\r\n") && head.ends_with("\r\n\r\n"));
        assert!(head.contains("Content-Security-Policy: default-src 'none'") && head.contains("nosniff"));
        assert_eq!(status("\u{1}\u{2}garbage\r\n\r\n".into()), "400");
        let huge = format!("{good} HTTP/1.1\r\n{host}X: {}\r\n\r\n", "y".repeat(100_000));
        assert_eq!(status(huge), "431");
    }

    #[test]
    fn files_are_taken_from_one_client_at_a_time() {
        let server = started();
        let head = |length: usize| {
            let own = format!("127.0.0.1:{}", server.port);
            let token = &server.token;
            format!(
                "POST /{token}/drop HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nContent-Length: {length}\r\n\r\n"
            )
        };
        let mut first = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        first.write_all(format!("{}half", head(8)).as_bytes()).unwrap();
        while server.taking.try_lock().is_ok() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let (whole, own) = (format!("{}all", head(3)), Arc::clone(&server));
        let second = std::thread::spawn(move || request(&own, &whole));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!second.is_finished());
        first.write_all(b"rest").unwrap();
        let mut answer = String::new();
        first.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("8 bytes") && second.join().unwrap().ends_with("3 bytes"));
    }

    #[test]
    fn slow_and_many_clients_are_let_go() {
        let server = started();
        let start = Instant::now();
        let mut slow: Vec<_> =
            (0..MOST_CLIENTS).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
        for client in &mut slow {
            client.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        }
        let in_time = || start.elapsed() < HEADER_TIME;
        while server.clients.load(Ordering::SeqCst) < MOST_CLIENTS && in_time() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let refused = request(&server, "GET / HTTP/1.1\r\n\r\n");
        // A busy machine may send the request only after the others were closed.
        assert!(refused.starts_with("HTTP/1.1 503") || !in_time(), "{refused}");
        // A client that sends a byte now and then gets no more time.
        let mut answers = vec![Vec::new(); slow.len()];
        slow[0].set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        while slow[0].read_to_end(&mut answers[0]).is_err() && answers[0].is_empty() {
            assert!(start.elapsed() < Duration::from_secs(60), "the slow client is never refused");
            let _ = slow[0].write_all(b"X");
        }
        for (client, answer) in slow.iter_mut().zip(&mut answers) {
            client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let _ = client.read_to_end(answer);
            assert!(answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(answer));
        }
        while server.clients.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(request(&server, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400"), "it goes on");
    }
}
