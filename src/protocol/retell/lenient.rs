//! Fields that may hold anything: the expected shape is taken, any other counts as absent.
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::fmt;
use std::marker::PhantomData;

/// What a field makes of each JSON value; whatever it doesn't take up is its default.
pub(super) trait Shape<'de>: Default {
    /// A string.
    fn text(_: &str) -> Self {
        Self::default()
    }
    /// A number.
    fn number(_: Number) -> Self {
        Self::default()
    }
    /// `true` or `false`.
    fn flag(_: bool) -> Self {
        Self::default()
    }
    /// An array.
    fn list<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    /// An object.
    fn object<A: MapAccess<'de>>(mut fields: A) -> Result<Self, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

struct Taker<T>(PhantomData<T>);

impl<'de, T: Shape<'de>> Visitor<'de> for Taker<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_bool<E>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<T, E> {
        Ok(T::number(number.into()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::number(number.into()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        Ok(Number::from_f64(number).map(T::number).unwrap_or_default())
    }
    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::text(text))
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        T::list(items)
    }
    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::object(fields)
    }
}

/// Implements `Deserialize` by [`Shape`].
macro_rules! lenient {
    ($name:ident $(<$t:ident: $($bound:path),+>)?) => {
        impl<'de $(, $t: $($bound +)+ Deserialize<'de>)?> Deserialize<'de> for $name $(<$t>)? {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(Taker(PhantomData))
            }
        }
    };
}

/// A string, number or flag, as text.
#[derive(Default)]
pub(super) struct Scalar(pub Option<String>);
lenient!(Scalar);

impl Shape<'_> for Scalar {
    fn text(text: &str) -> Self {
        Self(Some(text.to_owned()))
    }
    fn number(number: Number) -> Self {
        Self(Some(number.to_string()))
    }
    fn flag(flag: bool) -> Self {
        Self(Some(flag.to_string()))
    }
}

/// A number, exactly as it came.
#[derive(Default)]
pub(super) struct Figure(pub Option<Number>);
lenient!(Figure);

impl Shape<'_> for Figure {
    fn number(number: Number) -> Self {
        Self(Some(number))
    }
}

impl Figure {
    /// A whole number of 0 or more; some languages write 4 as `4.0`.
    pub(super) fn whole(&self) -> Option<u64> {
        let number = self.0.as_ref()?;
        number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            // Beyond 2^53 a float no longer names one whole number.
            let fits = float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float);
            fits.then_some(float as u64)
        })
    }
}

/// An array; `None` if it is anything else.
pub(super) struct List<T>(pub Option<Vec<T>>);
lenient!(List<T: Sized>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Shape<'de> for List<T> {
    fn list<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Self(Some(list)))
    }
}

/// An object of known fields; one without fields if it is anything else.
#[derive(Default)]
pub(super) struct Object<T>(pub T);
lenient!(Object<T: Default>);

impl<'de, T: Default + Deserialize<'de>> Shape<'de> for Object<T> {
    fn object<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(Self)
    }
}

/// An object of scalars under any names, in the order of arrival.
#[derive(Default)]
pub(super) struct Scalars(pub Vec<(String, String)>);
lenient!(Scalars);

impl<'de> Shape<'de> for Scalars {
    fn object<A: MapAccess<'de>>(mut fields: A) -> Result<Self, A::Error> {
        let mut list = Vec::new();
        while let Some((name, Scalar(value))) = fields.next_entry::<String, Scalar>()? {
            list.extend(value.map(|value| (name, value)));
        }
        Ok(Self(list))
    }
}
