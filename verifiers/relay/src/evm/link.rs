//! Bytecode of a contract that has libraries. Its file has the name of each, as `__RareCalls___…`, where its address belongs.

use crate::{evm::client::Evm, target::Receipt};
use alloy::primitives::Address;
use duet_light_rpc::{Failure, Kind};
use std::path::Path;

/// Hexadecimal digits of an address, and characters of a name in its place.
const PLACE: usize = 40;

/// A contract or a library that was deployed.
#[derive(Clone, Copy, Debug)]
pub struct Deployed {
    /// Where.
    pub address: Address,
    /// The receipt with the cost.
    pub receipt: Receipt,
}

/// The bytecode with the addresses of its libraries, of which those are deployed that are not known.
pub(super) async fn link(
    evm: &Evm,
    bytecode: &Path,
    known: &[(String, Address)],
    mut told: impl FnMut(&str, &Deployed),
) -> Result<Vec<u8>, Failure> {
    let mut digits = read(bytecode)?;
    let is_foreign = |(name, _): &&(String, Address)| !digits.contains(&place(name));
    if let Some((name, _)) = known.iter().find(is_foreign) {
        let why = format!("{name} is no library of {}", bytecode.display());
        return Err(Failure::new(Kind::Usage, why));
    }
    while let Some(name) = first(&digits) {
        let library = bytecode.with_file_name(format!("{name}.bin"));
        let creation = decoded(&library, &read(&library)?)?;
        let address = match known.iter().find(|(known, _)| *known == name) {
            Some((_, address)) => {
                if !is_of(&evm.code(*address).await?, *address, &creation) {
                    let why = format!("{address} has not the code of {}", library.display());
                    return Err(Failure::new(Kind::Usage, why));
                }
                *address
            }
            None => {
                let (address, receipt) = evm.create(creation.into()).await?;
                told(&name, &Deployed { address, receipt });
                address
            }
        };
        digits = digits.replace(&place(&name), &hex::encode(address));
    }
    decoded(bytecode, &digits)
}

/// What stands in bytecode where the address of a library belongs.
fn place(name: &str) -> String {
    format!("{:_<PLACE$}", format!("__{name}"))
}

/// The first library whose address is missing.
fn first(digits: &str) -> Option<String> {
    let at = digits.find("__")?;
    let name = digits.get(at..)?.get(..PLACE)?.trim_matches('_');
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then(|| name.to_owned())
}

/// Whether code on the chain is what this creates there. A library has its own address in its code.
fn is_of(code: &[u8], address: Address, creation: &[u8]) -> bool {
    let text = hex::encode(code).replace(&hex::encode(address), &"0".repeat(PLACE));
    // Before the code is what returns it.
    let from = creation.len().saturating_sub(code.len());
    let end = creation.get(from..).map(hex::encode);
    !code.is_empty() && from <= 64 && end == Some(text)
}

fn read(bytecode: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(bytecode);
    let text = text.map_err(|error| unreadable(bytecode, &error.to_string()))?;
    let digits = text.trim();
    Ok(digits.strip_prefix("0x").unwrap_or(digits).to_owned())
}

fn decoded(bytecode: &Path, digits: &str) -> Result<Vec<u8>, Failure> {
    hex::decode(digits).map_err(|error| unreadable(bytecode, &error.to_string()))
}

fn unreadable(bytecode: &Path, why: &str) -> Failure {
    let path = bytecode.display();
    let why = format!("the bytecode {path} cannot be read: {why}");
    Failure::new(Kind::Local, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_for_an_address_is_found_and_nothing_else_is() {
        let text = format!("60{}00{}", place("RareCalls"), place("RecoveryCalls"));
        assert_eq!(text.len(), 2 * PLACE + 4);
        assert_eq!(first(&text).as_deref(), Some("RareCalls"));
        for none in ["6000", "60__", &"_".repeat(PLACE), &place("../secret")] {
            assert_eq!(first(none), None, "{none}");
        }
    }

    #[test]
    fn the_code_of_a_library_is_known_by_all_but_its_address() {
        let address = Address::repeat_byte(0xaa);
        let code = |own: Address| [&[0x73][..], own.as_slice(), &[1, 2, 3]].concat();
        let creation = [&[0x60, 0x80][..], &code(Address::ZERO)].concat();
        assert!(is_of(&code(address), address, &creation));
        let mut other = code(address);
        other[23] = 4;
        let foreign = code(Address::repeat_byte(0xbb));
        for wrong in [&other[..], &foreign[..], &[][..], &code(address)[1..22]] {
            assert!(!is_of(wrong, address, &creation), "{wrong:?}");
        }
        let long = [&[0; 65][..], &[1, 2, 3]].concat();
        assert!(!is_of(&[1, 2, 3], address, &long));
    }
}
