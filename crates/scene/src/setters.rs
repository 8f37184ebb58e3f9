//! Types that grow are built field by field.

/// Methods that set a public field each and give the value back.
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
