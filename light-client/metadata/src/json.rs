//! Decoded values as JSON.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use scale_info::{form::PortableForm, PortableRegistry, Type, TypeDef, TypeDefPrimitive};
use scale_value::{Composite, Primitive, Value, ValueDef};
use serde_json::{Map, Value as Json};

/// The largest integer that every reader of JSON keeps exact: 2^53 − 1.
const EXACT: u128 = (1 << 53) - 1;

/// A value as JSON: bytes as 0x-hex, larger integers than 2^53 − 1 as decimal strings, a wrapper of one field as that
/// field, and a variant as its name, or as an object whose one key is the name.
pub(crate) fn json(value: &Value<u32>, types: &PortableRegistry) -> Json {
    match &value.value {
        ValueDef::Composite(fields) => fields_as_json(fields, Some(value.context), types),
        ValueDef::Variant(variant) if variant.values.is_empty() => {
            Json::String(variant.name.clone())
        }
        ValueDef::Variant(variant) => {
            let fields = fields_as_json(&variant.values, None, types);
            Json::Object(Map::from_iter([(variant.name.clone(), fields)]))
        }
        ValueDef::BitSequence(bits) => {
            let digits = bits.iter().map(|bit| if bit { '1' } else { '0' });
            Json::String(digits.collect())
        }
        ValueDef::Primitive(primitive) => primitive_as_json(primitive),
    }
}

/// Fields, of this type unless they are those of a variant.
pub(crate) fn fields_as_json(
    fields: &Composite<u32>,
    of: Option<u32>,
    types: &PortableRegistry,
) -> Json {
    match fields {
        Composite::Named(fields) => Json::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), json(value, types)))
                .collect(),
        ),
        Composite::Unnamed(items) => match of.and_then(|of| bytes(items, of, types)) {
            Some(bytes) => Json::String(format!("0x{}", hex::encode(bytes))),
            None if items.len() == 1 && !of.is_some_and(|of| is_list(of, types)) => {
                items.first().map_or(Json::Null, |item| json(item, types))
            }
            None => items.iter().map(|item| json(item, types)).collect(),
        },
    }
}

fn primitive_as_json(primitive: &Primitive) -> Json {
    match primitive {
        Primitive::Bool(is) => Json::Bool(*is),
        Primitive::Char(char) => Json::String(char.to_string()),
        Primitive::String(text) => Json::String(text.clone()),
        Primitive::U128(number) => match u64::try_from(*number) {
            Ok(small) if *number <= EXACT => small.into(),
            _ => Json::String(number.to_string()),
        },
        Primitive::I128(number) => match i64::try_from(*number) {
            Ok(small) if number.unsigned_abs() <= EXACT => small.into(),
            _ => Json::String(number.to_string()),
        },
        Primitive::U256(bytes) | Primitive::I256(bytes) => {
            Json::String(format!("0x{}", hex::encode(bytes)))
        }
    }
}

/// The bytes of a list whose items have the type `u8`.
fn bytes(items: &[Value<u32>], list: u32, types: &PortableRegistry) -> Option<Vec<u8>> {
    let item = match definition(list, types)? {
        TypeDef::Sequence(list) => list.type_param.id,
        TypeDef::Array(list) => list.type_param.id,
        _ => return None,
    };
    let TypeDef::Primitive(TypeDefPrimitive::U8) = definition(item, types)? else {
        return None;
    };
    items
        .iter()
        .map(|item| item.as_u128()?.try_into().ok())
        .collect()
}

fn is_list(of: u32, types: &PortableRegistry) -> bool {
    matches!(
        definition(of, types),
        Some(TypeDef::Sequence(_) | TypeDef::Array(_))
    )
}

fn definition(of: u32, types: &PortableRegistry) -> Option<&TypeDef<PortableForm>> {
    types
        .resolve(of)
        .map(|found: &Type<PortableForm>| &found.type_def)
}

/// A text of a runtime for a terminal: without control characters.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).collect()
}
