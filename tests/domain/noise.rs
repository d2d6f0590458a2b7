//! Seeded nonsense: words that mean something here, mixed with any Unicode.

const WORDS: &[&str] = &[
    "hache",
    "h",
    "e",
    "E",
    "ache",
    "o",
    "cero",
    "ocho",
    "dos",
    "siete",
    "efe",
    "ese",
    "cinco",
    "eme",
    "cincuenta",
    "y",
    "cuarenta",
    "tres",
    "mil",
    "millones",
    "doscientos",
    "7F-5",
    "M50",
    "H08",
    "E43",
    "zeno",
    "lait",
    "Zen-O",
    "yuwell",
    "lovego",
    "lg",
    "103",
    "ciento",
    "cp",
    "501",
    "low",
    "lou",
    "O2",
    "check",
    "filter",
    "edificio",
    "piso",
    "marca",
    "error",
    "no",
    "doble",
    "eh",
    "las",
    "litros",
    "pesos",
    "DNI",
    "···",
    "23.456.789",
    "35",
    "612",
    "408",
    "2",
    "8:30",
    ",",
    ".",
    "-",
    "?",
    "\n",
    "é",
    "ñandú",
    "e\u{301}",
    "日本",
    "🫁",
    "\u{200b}",
    "ß",
    "İ",
    "inogen",
    "rove",
    "one",
    "pantalla",
    "negra",
];

/// Numbers by chance, the same each time.
pub struct Noise(u64);

impl Default for Noise {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl Noise {
    /// The next number, from 0.
    pub fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % below
    }
}

/// `count` texts, the same each time.
pub fn texts(count: usize) -> Vec<String> {
    let mut noise = Noise::default();
    let mut next = move |below| noise.below(below);
    (0..count)
        .map(|_| {
            let mut text = String::new();
            for _ in 0..next(24) {
                match next(12) {
                    0 => text.extend(char::from_u32(u32::try_from(next(0x3_0000)).expect("small"))),
                    1 => text.push_str(WORDS[next(WORDS.len())]),
                    _ => {
                        text.push_str(WORDS[next(WORDS.len())]);
                        text.push(' ');
                    }
                }
            }
            text
        })
        .collect()
}
