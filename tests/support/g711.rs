//! G.711 as a telephone line does it: µ-law and A-law, both ways.

/// A sample as one byte of µ-law.
pub fn to_mulaw(sample: i16) -> u8 {
    let sign = if sample < 0 { 0x80 } else { 0 };
    let magnitude = i32::from(sample).abs().min(32_635) + 0x84;
    let exponent = (24 - magnitude.leading_zeros()).min(7);
    let mantissa = (magnitude >> (exponent + 3)) & 0x0F;
    !(sign | (exponent as u8) << 4 | mantissa as u8)
}

/// One byte of µ-law as a sample.
pub fn from_mulaw(byte: u8) -> i16 {
    let byte = !byte;
    let exponent = (byte >> 4) & 7;
    let magnitude = ((i16::from(byte & 0x0F) << 3) + 0x84) << exponent;
    if byte & 0x80 == 0 { magnitude - 0x84 } else { 0x84 - magnitude }
}

/// A sample as one byte of A-law.
pub fn to_alaw(sample: i16) -> u8 {
    let (sign, magnitude) = if sample >= 0 { (0x80, sample) } else { (0, !sample) };
    let magnitude = magnitude >> 4;
    let coded = if magnitude < 16 {
        magnitude as u8
    } else {
        let exponent = 12 - magnitude.leading_zeros() as u8;
        exponent << 4 | ((magnitude >> (exponent - 1)) & 0x0F) as u8
    };
    (coded | sign) ^ 0x55
}

/// One byte of A-law as a sample.
pub fn from_alaw(byte: u8) -> i16 {
    let byte = byte ^ 0x55;
    let exponent = (byte >> 4) & 7;
    let mantissa = i16::from(byte & 0x0F) << 4;
    let magnitude = if exponent == 0 { mantissa + 8 } else { (mantissa + 0x108) << (exponent - 1) };
    if byte & 0x80 == 0 { -magnitude } else { magnitude }
}
