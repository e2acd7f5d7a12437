//! Plain JavaScript objects.

use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::JsValue;

/// An object that is being made.
pub(crate) struct Fields(Object);

impl Fields {
    pub(crate) fn new() -> Self {
        Self(Object::new())
    }

    /// Adds a field.
    pub(crate) fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        // Fails for frozen objects and for those that intercept it; this one was just made.
        let _ = Reflect::set(&self.0, &name.into(), &value.into());
        self
    }

    /// Adds bytes.
    pub(crate) fn with_bytes(self, name: &str, bytes: &[u8]) -> Self {
        self.with(name, Uint8Array::from(bytes))
    }
}

impl From<Fields> for JsValue {
    fn from(fields: Fields) -> Self {
        fields.0.into()
    }
}
