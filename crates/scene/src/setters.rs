//! Setters for structs that may get more fields.

/// Defines methods that set one public field each and return the value.
macro_rules! setters {
    ($($(#[$about:meta])* $with:ident($argument:ty): $field:ident;)+) => {
        $(
            $(#[$about])*
            #[must_use]
            pub fn $with(mut self, $field: $argument) -> Self {
                self.$field = $field.into();
                self
            }
        )+
    };
}
