//! Finds what must be nowhere: a patient's document, however it is written or said, and what their devices are called.
use crate::spanish::{as_number, group, parts, spelled};
use std::path::Path;
use std::sync::OnceLock;

/// A document with the ways in which it is said.
struct Document {
    digits: String,
    said: Vec<String>,
}

/// What is looked for.
pub struct Sweep {
    documents: Vec<Document>,
    names: Vec<String>,
}

impl Sweep {
    /// These documents, and these names of devices.
    pub fn of<'a>(
        documents: impl IntoIterator<Item = &'a str>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let documents = documents.into_iter().map(|digits| {
            let said = ways(digits).iter().map(|way| format!(" {} ", fold(way))).collect();
            Document { digits: digits.to_owned(), said }
        });
        let names = names.into_iter().map(|name| format!(" {} ", fold(name)));
        Self { documents: documents.collect(), names: names.collect() }
    }

    /// The first secret in a text.
    pub fn find(&self, text: &str) -> Option<String> {
        let (folded, figures) = (format!(" {} ", fold(text)), figures(text));
        let written = self.documents.iter().find(|it| figures.contains(&it.digits)).map(|it| &it.digits);
        let said = || self.documents.iter().flat_map(|it| &it.said).find(|way| folded.contains(*way));
        let named = || self.names.iter().find(|name| folded.contains(*name));
        written.or_else(said).or_else(named).cloned()
    }

    /// Texts with a secret in them, each with what was found and where.
    pub fn leaks<'a>(&self, place: &str, texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let leak = |text: &str| self.find(text).map(|secret| format!("{place}: {secret:?} in {text}"));
        texts.into_iter().filter_map(leak).collect()
    }
}

/// A patient of the sample roster.
#[derive(Clone, Debug)]
pub struct Patient {
    /// The document.
    pub dni: String,
    /// Names, brands and article numbers of their devices.
    pub names: Vec<String>,
}

/// The patients of the sample that ships with Aura.
pub fn roster() -> Vec<Patient> {
    let roster: toml::Table = read("actors/patients/roster.toml").parse().expect("the roster");
    let text = |value: &toml::Value| value.as_str().map(str::to_owned);
    let patients = roster["patient"].as_array().expect("patients").iter().map(|patient| {
        let devices = patient["device"].as_array().expect("devices").iter();
        let names =
            devices.flat_map(|device| ["name", "brand", "sku"].map(|field| device.get(field).and_then(text)));
        Patient { dni: text(&patient["dni"]).expect("a document"), names: names.flatten().collect() }
    });
    patients.collect()
}

/// The sample roster's secrets. What manuals, prompts or the map of models say themselves is none: a row about
/// a brand is no patient's equipment.
pub fn sample() -> &'static Sweep {
    static SAMPLE: OnceLock<Sweep> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let patients = roster();
        let public = public();
        let names = patients.iter().flat_map(|patient| &patient.names).map(String::as_str);
        let secret = names.filter(|name| !public.contains(&format!(" {} ", fold(name))));
        Sweep::of(patients.iter().map(|patient| patient.dni.as_str()), secret)
    })
}

/// All that may be said of equipment by anybody.
fn public() -> String {
    let map = fold(&read("src/equipment/catalogue.toml"));
    format!(" {map} {} {} ", folder("manuals"), folder("prompts"))
}

/// All that the files of a folder say, folded.
pub fn folder(name: &str) -> String {
    let mut all = String::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name), &mut all);
    fold(&all)
}

fn gather(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => gather(&path, all),
            false => all.push_str(&String::from_utf8_lossy(&std::fs::read(&path).expect("a file"))),
        }
    }
}

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("a file")
}

/// Lower case without accents, one space between words.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        let plain = match c {
            'á' => 'a',
            'é' => 'e',
            'í' => 'i',
            'ó' => 'o',
            'ú' | 'ü' => 'u',
            c if c.is_alphanumeric() => c,
            _ => ' ',
        };
        if plain != ' ' || !out.ends_with(' ') {
            out.push(plain);
        }
    }
    out.trim().to_owned()
}

/// The text with nothing between digits that only parts them. A list of single figures is a list.
fn figures(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut between, mut run) = (String::new(), 0);
    for c in text.chars() {
        if c.is_ascii_digit() {
            if between.len() > 2 || (between == ", " && run == 1) {
                out.push_str(&between);
            }
            run = if between.is_empty() { run + 1 } else { 1 };
            out.push(c);
        } else if run > 0 && matches!(c, ' ' | '.' | '-' | ',' | '_' | '/' | '·') {
            between.push(c);
            continue;
        } else {
            out.push_str(&between);
            out.push(c);
            run = 0;
        }
        between.clear();
    }
    out
}

/// The ways in which a document is said; those in figures are found by their figures.
fn ways(digits: &str) -> Vec<String> {
    let [first, middle, last] = parts(digits);
    let pairs = |digits: &str| {
        let bytes: Vec<char> = digits.chars().collect();
        bytes.chunks(2).map(|pair| group(&pair.iter().collect::<String>())).collect::<Vec<_>>().join(" ")
    };
    vec![
        spelled(digits),
        as_number(digits),
        [first, middle, last].map(group).join(" "),
        pairs(digits),
        format!("{first} millones {middle} mil {last}"),
        format!("{first} {} {}", group(middle), group(last)),
    ]
}

#[test]
fn s4_the_sweep_itself_finds_what_it_looks_for_however_it_is_written() {
    let sweep = Sweep::of(["23456789", "5123456"], ["Equipo Zafirol Nocturno", "ZFR-7781", "Zafirol"]);
    for planted in [
        "DNI 23.456.789.",
        r#"{"dni":"23456789"}"#,
        "23 45 67 89",
        "23-456-789",
        "documento: 23, 456, 789",
        "dos tres cuatro cinco seis siete ocho nueve",
        "Veintitrés millones cuatrocientos cincuenta y seis mil setecientos ochenta y nueve",
        "veintitrés cuatrocientos cincuenta y seis, setecientos ochenta y nueve",
        "veintitrés, cuarenta y cinco, sesenta y siete, ochenta y nueve",
        "23 millones 456 mil 789",
        "GET /calls/5123456/patient",
        "cinco millones ciento veintitrés mil cuatrocientos cincuenta y seis",
        "un equipo zafirol nocturno",
        "sku=zfr-7781;",
        "la marca ZAFIROL",
    ] {
        assert!(sweep.find(planted).is_some(), "{planted}");
    }
    for clean in [
        "DNI ···789",
        "23456",
        "a las 23:45:67.89",
        "0190a3b4-2345-7678-9abc-000000000000",
        "dos tres cuatro",
        "zafiros y nocturnos",
        "2345 y después 6789",
        "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
    ] {
        assert_eq!(sweep.find(clean), None, "{clean}");
    }
    let leaks = sweep.leaks("here", ["nada", "5.123.456"]);
    assert!(leaks.len() == 1 && leaks[0].starts_with("here: "), "{leaks:?}");
}

#[test]
fn s4_the_sample_is_looked_for_by_documents_names_and_article_numbers() {
    let sample = sample();
    assert_eq!(sample.documents.len(), 10);
    for secret in ["41.000.123", "CON-7F5-05", "tubo de oxígeno de 682 litros", "Concentrador Andes AX-9"] {
        assert!(sample.find(&format!("se filtró {secret} acá")).is_some(), "{secret}");
    }
    assert!(sample.names.len() >= 15, "so many names are nobody's but a patient's: {:?}", sample.names);
    assert_eq!(sample.find("el M50 marca H08"), None);
}
