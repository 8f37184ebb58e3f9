//! Setters of structs that may get more fields.

/// Defines methods that set one field each and return the value, inside an `impl`.
///
/// ```
/// #[derive(Default)]
/// pub struct Options {
///     pub name: String,
///     pub limits: meshwright_core::Limits,
/// }
///
/// impl Options {
///     meshwright_core::setters! {
///         /// Sets the name.
///         with_name(name: impl Into<String>): name;
///         /// Sets the memory in bytes.
///         with_memory(bytes: u64): limits.memory;
///     }
/// }
/// assert_eq!(Options::default().with_name("a").with_memory(5).limits.memory, 5);
/// ```
#[macro_export]
macro_rules! setters {
    ($($(#[$attribute:meta])* $name:ident($value:ident: $type:ty): $($field:ident).+;)+) => {
        $(
            $(#[$attribute])*
            #[must_use]
            pub fn $name(mut self, $value: $type) -> Self {
                self.$($field).+ = $value.into();
                self
            }
        )+
    };
}
