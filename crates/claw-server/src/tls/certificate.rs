//! X.509 certificates: the certificate of an authority, and the certificates that it signs for servers.

use std::net::IpAddr;
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::der::asn1::{
    Any, BitString, GeneralizedTime, Ia5String, OctetString, SetOfVec, UtcTime, Utf8StringRef,
};
use x509_cert::der::oid::db::{rfc4519, rfc5280, rfc5912};
use x509_cert::der::{self, DateTime, Decode as _, Encode as _};
use x509_cert::ext::pkix::constraints::name::GeneralSubtree;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
    NameConstraints, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::ext::{AsExtension, Extension};
use x509_cert::name::{Name as DistinguishedName, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::time::{Time, Validity};
use x509_cert::{Certificate, TbsCertificate, Version};

/// A name of a server: a DNS name or an IP address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    Dns(String),
    Ip(IpAddr),
}

/// Names for which an authority may sign: a DNS name with all names below it, or all IP addresses with the same first bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Permitted {
    Dns(String),
    Ip(IpAddr, u32),
}

/// The purpose of a certificate.
pub(super) enum Purpose<'a> {
    /// The certificate belongs to an authority, which signs certificates of servers with these names.
    Authority(&'a [Permitted]),
    /// The certificate belongs to a server, and proves that the server has these names.
    Server(&'a [Name]),
}

/// The fields in which certificates differ from each other.
pub(super) struct Fields<'a> {
    /// The serial number: random bytes.
    pub(super) serial: [u8; 16],
    /// The common name of the authority that signs.
    pub(super) issuer: &'a str,
    /// The common name of the certificate's owner.
    pub(super) subject: &'a str,
    pub(super) valid: [SystemTime; 2],
    /// The public key of the owner, as a `SubjectPublicKeyInfo` in DER.
    pub(super) key: &'a [u8],
    /// The public key of the authority that signs.
    pub(super) issuer_key: &'a [u8],
    pub(super) purpose: Purpose<'a>,
}

/// The fields that an authority reads from its own certificate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Own {
    /// The common name.
    pub(super) name: String,
    /// The public key, as a `SubjectPublicKeyInfo` in DER.
    pub(super) key: Vec<u8>,
    /// The end of the validity.
    pub(super) until: SystemTime,
}

impl Own {
    /// Reads a certificate that [`sign`] has returned. Returns `None` for any other bytes.
    pub(super) fn read(certificate: &[u8]) -> Option<Self> {
        let fields = Certificate::from_der(certificate).ok()?.tbs_certificate;
        let [name] = &fields.subject.0[..] else {
            return None;
        };
        let name = name.0.get(0)?.value.decode_as::<Utf8StringRef<'_>>();
        Some(Self {
            name: name.ok()?.as_str().to_owned(),
            key: fields.subject_public_key_info.to_der().ok()?,
            until: fields.validity.not_after.to_system_time(),
        })
    }
}

/// Returns a signed certificate in DER. `signature` receives the part to sign, and returns its ECDSA signature with SHA-256.
///
/// # Errors
///
/// Fails if a field cannot be written in DER, such as a DNS name that is not ASCII. Also fails with the error of `signature`.
pub(super) fn sign(
    fields: &Fields<'_>,
    signature: impl FnOnce(&[u8]) -> der::Result<Vec<u8>>,
) -> der::Result<Vec<u8>> {
    let mut serial = fields.serial;
    // A serial number must be positive. The second bit is set so that all serial numbers have the same length.
    serial[0] = serial[0] & 0x7f | 0x40;
    let algorithm = AlgorithmIdentifierOwned {
        oid: rfc5912::ECDSA_WITH_SHA_256,
        parameters: None,
    };
    let [not_before, not_after] = fields.valid;
    let subject = common_name(fields.subject)?;
    let signed = TbsCertificate {
        version: Version::V3,
        serial_number: SerialNumber::new(&serial)?,
        signature: algorithm.clone(),
        issuer: common_name(fields.issuer)?,
        validity: Validity {
            not_before: time(not_before)?,
            not_after: time(not_after)?,
        },
        extensions: Some(extensions(fields, &subject)?),
        subject,
        subject_public_key_info: SubjectPublicKeyInfoOwned::from_der(fields.key)?,
        issuer_unique_id: None,
        subject_unique_id: None,
    };
    let signature = signature(&signed.to_der()?)?;
    let certificate = Certificate {
        tbs_certificate: signed,
        signature_algorithm: algorithm,
        signature: BitString::from_bytes(&signature)?,
    };
    certificate.to_der()
}

/// Returns a distinguished name that consists only of this common name.
fn common_name(text: &str) -> der::Result<DistinguishedName> {
    let name = AttributeTypeAndValue {
        oid: rfc4519::COMMON_NAME,
        value: Any::from(Utf8StringRef::new(text)?),
    };
    let name = RelativeDistinguishedName(SetOfVec::try_from(vec![name])?);
    Ok(RdnSequence(vec![name]))
}

/// Converts a time as RFC 5280 requires: with a year of two digits until 2049, and with a year of four digits after that.
fn time(time: SystemTime) -> der::Result<Time> {
    let time = DateTime::from_system_time(time)?;
    Ok(if time.year() <= UtcTime::MAX_YEAR {
        Time::UtcTime(UtcTime::from_date_time(time)?)
    } else {
        Time::GeneralTime(GeneralizedTime::from_date_time(time))
    })
}

fn extensions(fields: &Fields<'_>, subject: &DistinguishedName) -> der::Result<Vec<Extension>> {
    let own: &[&dyn ToExtension] = match &fields.purpose {
        Purpose::Authority(permitted) => &[
            &BasicConstraints {
                ca: true,
                // The authority can sign certificates of servers, but no certificates of other authorities.
                path_len_constraint: Some(0),
            },
            &KeyUsage(KeyUsages::KeyCertSign.into()),
            // Without this extension, the authority could also sign certificates for email. The name constraints limit only DNS
            // names and IP addresses.
            &ExtendedKeyUsage(vec![rfc5280::ID_KP_SERVER_AUTH]),
            &constraints(permitted)?,
        ],
        Purpose::Server(names) => &[
            &BasicConstraints {
                ca: false,
                path_len_constraint: None,
            },
            // A server signs handshakes with the key.
            &KeyUsage(KeyUsages::DigitalSignature.into()),
            &ExtendedKeyUsage(vec![rfc5280::ID_KP_SERVER_AUTH]),
            &SubjectAltName(names.iter().map(name).collect::<der::Result<_>>()?),
        ],
    };
    let keys: &[&dyn ToExtension] = &[
        &SubjectKeyIdentifier(key_id(fields.key)?),
        &AuthorityKeyIdentifier {
            key_identifier: Some(key_id(fields.issuer_key)?),
            authority_cert_issuer: None,
            authority_cert_serial_number: None,
        },
    ];
    let all = own.iter().chain(keys);
    all.map(|each| each.extension(subject)).collect()
}

/// A form of [`AsExtension`] that can be a trait object. So one list can contain extensions of different types.
trait ToExtension {
    fn extension(&self, subject: &DistinguishedName) -> der::Result<Extension>;
}

impl<T: AsExtension> ToExtension for T {
    fn extension(&self, subject: &DistinguishedName) -> der::Result<Extension> {
        self.to_extension(subject, &[])
    }
}

fn key_id(key: &[u8]) -> der::Result<OctetString> {
    OctetString::new(&Sha256::digest(key)[..20])
}

fn name(name: &Name) -> der::Result<GeneralName> {
    Ok(match name {
        Name::Dns(name) => GeneralName::DnsName(Ia5String::new(name)?),
        Name::Ip(ip) => GeneralName::IpAddress(OctetString::new(octets(*ip))?),
    })
}

fn octets(ip: IpAddr) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    }
}

fn constraints(permitted: &[Permitted]) -> der::Result<NameConstraints> {
    let each = permitted.iter().map(|permitted| {
        let base = match permitted {
            Permitted::Dns(name) => GeneralName::DnsName(Ia5String::new(name)?),
            Permitted::Ip(ip, bits) => {
                let mask = match ip {
                    IpAddr::V4(_) => IpAddr::V4(u32::MAX.unbounded_shl(32 - bits).into()),
                    IpAddr::V6(_) => IpAddr::V6(u128::MAX.unbounded_shl(128 - bits).into()),
                };
                let both = [octets(*ip), octets(mask)].concat();
                GeneralName::IpAddress(OctetString::new(both)?)
            }
        };
        Ok(GeneralSubtree {
            base,
            minimum: 0,
            maximum: None,
        })
    });
    Ok(NameConstraints {
        permitted_subtrees: Some(each.collect::<der::Result<_>>()?),
        excluded_subtrees: None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_year_has_four_digits_from_2050_on() {
        let at =
            |seconds| time(UNIX_EPOCH + Duration::from_secs(seconds)).and_then(|it| it.to_der());
        assert_eq!(at(1_764_388_706).unwrap(), b"\x17\x0d251129035826Z");
        assert_eq!(at(2_524_607_999).unwrap(), b"\x17\x0d491231235959Z");
        assert_eq!(at(2_524_608_000).unwrap(), b"\x18\x0f20500101000000Z");
    }

    #[test]
    fn any_other_bytes_are_no_certificate() {
        for bytes in [
            &[][..],
            &[0x30],
            &[0x30, 0x82, 1],
            &[0x30, 0x84, 0, 0, 0, 0],
            &[0x30, 2, 0x30, 0],
        ] {
            assert_eq!(Own::read(bytes), None, "{bytes:?}");
        }
    }
}
