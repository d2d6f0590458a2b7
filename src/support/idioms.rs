//! Words that are something else in their place: a team, a paper, a loss, a low flow, a time gone by.
use super::fold::Word;
use super::lexicon::VerbKind;
use super::senses::{Sense, Senses, Verb};
use super::values::is_number;

impl Senses<'_> {
    /// 'Pasado un momento', 'transcurridos los cinco minutos': a time that goes by, and nothing that is done.
    pub(super) fn elapsed(&self, at: usize) -> bool {
        const GONE: [&str; 8] = [
            "pasado",
            "pasada",
            "pasados",
            "pasadas",
            "transcurrido",
            "transcurrida",
            "transcurridos",
            "transcurridas",
        ];
        if !self.words[at].is(&GONE) {
            return false;
        }
        let time = |word: &Word| {
            let unit = self.lexicon.unit(&word.text).is_some_and(|unit| unit.dimension == "time");
            unit || word.is(&["momento", "rato", "ratito", "tiempo"])
        };
        let leads = |word: &Word| {
            is_number(word)
                || word.is(&[
                    "un", "una", "unos", "unas", "el", "la", "los", "las", "ese", "esos", "esas", "par", "de",
                ])
        };
        let mut next = self.words[at + 1..].iter().take(4).take_while(|word| !word.breaks());
        next.find(|word| time(word) || !leads(word)).is_some_and(time)
    }

    /// 'Alguien del equipo', 'el equipo de atención': people.
    pub(super) fn of_people(&self, at: usize) -> bool {
        const PEOPLE: [&str; 9] = [
            "alguien",
            "persona",
            "companero",
            "companera",
            "companeros",
            "integrante",
            "parte",
            "gente",
            "resto",
        ];
        const WORK: [&str; 7] =
            ["atencion", "trabajo", "soporte", "guardia", "ayuda", "administracion", "logistica"];
        let next = |ahead: usize, list: &[&str]| self.words.get(at + ahead).is_some_and(|word| word.is(list));
        let back = |behind: usize, list: &[&str]| at >= behind && self.words[at - behind].is(list);
        let led = (back(1, &["del"]) && back(2, &PEOPLE)) || (back(2, &["de"]) && back(3, &PEOPLE));
        self.words[at].is(&["equipo"]) && (led || next(1, &["de"]) && next(2, &WORK))
    }

    /// 'Busco la ficha del paciente': a paper, and no plug.
    pub(super) fn of_the_office(&self, at: usize) -> bool {
        let papers = ["documento", "dni", "paciente", "nombre", "afiliado", "datos", "historia", "clinica"];
        let plugs =
            ["enchufe", "tomacorriente", "pared", "cable", "corriente", "puesta", "enchufada", "equipo"];
        let has = |list: &[&str]| self.words.iter().any(|word| word.is(list));
        self.words[at].is(&["ficha", "fichas"]) && has(&papers) && !has(&plugs)
    }

    /// 'Lamento su pérdida': nothing that leaks.
    pub(super) fn mourned(&self, at: usize) -> bool {
        let grief =
            ["lamento", "lamentamos", "siento", "sentimos", "acompano", "acompanamos", "condolencias"];
        self.words[at].is(&["perdida"])
            && at > 0
            && (self.words[at - 1].is(&["su", "tu", "esa", "esta"])
                || self.words.get(at + 2).is_some_and(|word| word.is(&["tu", "su", "un", "una"])))
            && self.words[..at].iter().any(|word| word.is(&grief))
    }

    /// 'Más bajo', 'flujo bajo': no preposition.
    pub(super) fn is_low(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.words[before]) else { return false };
        let degree =
            before.is(&["mas", "muy", "tan", "esta", "estan", "es", "quedo", "este", "sea", "demasiado"]);
        let under = self.words.get(at + 1).is_some_and(|next| {
            !next.breaks()
                && next.is(&["el", "la", "los", "las", "un", "una", "su", "ese", "esa", "techo", "llave"])
        });
        let noun = self.lexicon.noun(&before.text).is_some();
        self.words[at].is(&["bajo", "bajos"]) && !self.words[at].breaks() && (degree || noun) && !under
    }

    /// 'Hacer fuerza' is to force.
    pub(super) fn forced(&self, at: usize) -> Option<Sense> {
        let force = |at: usize| self.words.get(at).is_some_and(|word| word.is(&["fuerza"]) && !word.breaks());
        let does = |at: usize| {
            let (found, _) = self.lexicon.verb(&self.words[at].text)?;
            let (index, mood) = *found.first()?;
            (self.lexicon.verbs[index].lemma == "hacer").then_some(mood)
        };
        if force(at) && at > 0 && does(at - 1).is_some() {
            return Some(Sense::Free);
        }
        let mood = does(at).filter(|_| force(at + 1))?;
        Some(Sense::Verb(Verb {
            lemma: "forzar".to_owned(),
            kind: VerbKind::Action,
            weak: false,
            mood,
            pronouns: Vec::new(),
            unknown: false,
        }))
    }
}
