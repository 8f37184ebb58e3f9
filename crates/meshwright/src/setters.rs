//! Setters of options.

/// Defines methods that set one field each and return the value.
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
