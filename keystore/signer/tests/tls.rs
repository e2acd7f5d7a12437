//! Who is let in by mutual TLS, and whom a node believes.

mod support;

use duet_keystore::Signer;
use duet_remote_signer::{
    tls::{provider, TlsFiles, VERSIONS},
    Address, ConfigError, RemoteError, RemoteSigner,
};
use duet_signer::{ListenError, Listener};
use rustls::{
    pki_types::ServerName, AlertDescription, CertificateError, ClientConfig, ClientConnection,
    Error, StreamOwned,
};
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    sync::Arc,
};
use support::{remote_error, Ca, Site, Transport};

/// Why a client with these files is not let in, or does not go in.
fn refused(site: &Site, files: &TlsFiles) -> Error {
    let error = remote_error(site.client_with(Some(files)).keys().unwrap_err());
    let RemoteError::Tls(error) = error else {
        panic!("an error of another kind: {error}");
    };
    error
}

/// A folder for the files of one side.
fn place(site: &Site, name: &str) -> std::path::PathBuf {
    let place = site.dir.path().join(name);
    fs::create_dir(&place).unwrap();
    place
}

#[test]
fn a_client_with_a_certificate_of_another_ca_is_not_let_in() {
    let mut site = Site::new(Transport::Tls);
    let _running = site.start();
    let good = site.client_files.clone().unwrap();
    // It believes the signer's certificate, as a node does.
    let mut files = Ca::Other.issue(&place(&site, "other"), "node");
    files.ca = good.ca;
    let error = refused(&site, &files);
    assert_eq!(error, Error::AlertReceived(AlertDescription::UnknownCA));
    site.client()
        .keys()
        .expect("who has the right certificate is let in");
}

#[test]
fn a_client_without_certificate_is_not_let_in() {
    let mut site = Site::new(Transport::Tls);
    let _running = site.start();
    let roots = site.client_files.as_ref().unwrap().read().unwrap().roots;
    let config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let Address::Tls { port, .. } = site.address else {
        panic!("no port");
    };
    let socket = TcpStream::connect(("localhost", port)).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let tls = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut tls = StreamOwned::new(tls, socket);
    let error = tls.write_all(b"hello").and_then(|()| tls.read(&mut [0]));
    let error = error.unwrap_err().downcast::<Error>().unwrap();
    let expected = Error::AlertReceived(AlertDescription::CertificateRequired);
    assert_eq!(error, expected);
}

#[test]
fn a_signer_under_another_name_is_not_believed() {
    let mut site = Site::new(Transport::Tls);
    let _running = site.start();
    // The certificate is for the name, not for the address behind it.
    let Address::Tls { port, .. } = site.address else {
        panic!("no port");
    };
    let host = "127.0.0.1".to_owned();
    site.address = Address::Tls { host, port };
    let files = site.client_files.clone().unwrap();
    let error = refused(&site, &files);
    let is_name = matches!(
        error,
        Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. })
    );
    assert!(is_name, "{error}");
}

#[test]
fn a_signer_with_a_certificate_of_another_ca_is_not_believed() {
    let mut site = Site::new(Transport::Tls);
    let _running = site.start();
    let mut files = site.client_files.clone().unwrap();
    files.ca = Ca::Other.issue(&place(&site, "other"), "node").ca;
    let error = refused(&site, &files);
    let expected = Error::InvalidCertificate(CertificateError::UnknownIssuer);
    assert_eq!(error, expected);
}

#[test]
fn who_speaks_no_tls_is_not_let_in_and_others_are() {
    let mut site = Site::new(Transport::Tls);
    let _running = site.start();
    let Address::Tls { port, .. } = site.address else {
        panic!("no port");
    };
    let mut socket = TcpStream::connect(("localhost", port)).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut rest = Vec::new();
    socket.read_to_end(&mut rest).unwrap();
    assert!(rest.len() < 64, "an alert at most");
    site.client().keys().unwrap();
}

#[test]
fn certificates_are_given_where_they_are_used_and_only_there() {
    let site = Site::new(Transport::Tls);
    let files = site.client_files.clone().unwrap();
    let unix: Address = "unix:/nowhere/signer.sock".parse().unwrap();
    let client = RemoteSigner::new(unix.clone(), Some(&files)).err().unwrap();
    assert!(matches!(client, ConfigError::UselessCertificates));
    let server = Listener::bind(&unix, Some(&files)).err().unwrap();
    assert!(matches!(
        server,
        ListenError::Config(ConfigError::UselessCertificates)
    ));
    let client = RemoteSigner::new(site.address.clone(), None).err().unwrap();
    assert!(matches!(client, ConfigError::NoCertificates));
    let server = Listener::bind(&site.address, None).err().unwrap();
    assert!(matches!(
        server,
        ListenError::Config(ConfigError::NoCertificates)
    ));
}

#[test]
fn a_file_that_is_of_no_use_is_named() {
    let site = Site::new(Transport::Tls);
    let files = site.client_files.clone().unwrap();
    let new = |files: &TlsFiles| RemoteSigner::new(site.address.clone(), Some(files)).err();
    let empty = site.dir.path().join("empty");
    fs::write(&empty, "").unwrap();
    let missing = site.dir.path().join("missing");
    let with_ca = |ca: &std::path::Path| TlsFiles {
        ca: ca.to_owned(),
        ..files.clone()
    };
    let error = new(&with_ca(&empty)).unwrap();
    assert!(matches!(error, ConfigError::NoCertificate { path } if path == empty));
    let error = new(&with_ca(&missing)).unwrap();
    assert!(matches!(error, ConfigError::Pem { path, .. } if path == missing));
    let key = TlsFiles {
        key: empty.clone(),
        ..files.clone()
    };
    let error = new(&key).unwrap();
    assert!(matches!(error, ConfigError::Pem { path, .. } if path == empty));
    // The key of another certificate.
    let key = TlsFiles {
        key: site.server_files.clone().unwrap().key,
        ..files
    };
    let error = new(&key).unwrap();
    assert!(matches!(error, ConfigError::Tls(_)), "{error}");
}
