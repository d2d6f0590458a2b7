//! Which turns end a call: a goodbye that is meant, and nothing else (E11).
use super::fixture::*;
use aura::call::is_farewell;
use aura::generation::Grounding;
use aura::transcript::Speaker;

const GOODBYES: [&str; 34] = [
    "gracias, chau",
    "Gracias, chau.",
    "muchas gracias, hasta luego",
    "Chau, gracias",
    "chau chau",
    "bueno, chau",
    "listo, gracias, chau",
    "adiós",
    "Adiós, muy amable",
    "hasta luego",
    "Hasta luego, señorita.",
    "Perfecto. Hasta luego.",
    "ok, nos vemos",
    "nada más, gracias",
    "No, nada más, muchas gracias.",
    "eso es todo, gracias",
    "eso era todo, muchas gracias",
    "eso sería todo, gracias",
    "muchas gracias por todo",
    "gracias por la ayuda",
    "Gracias por su ayuda, hasta luego",
    "Gracias por atenderme",
    "que tenga un buen día",
    "que tenga buen día",
    "que tenga buenas tardes",
    "que pase un lindo día",
    "que tenga un buen fin de semana",
    "Gracias, que tenga buenas noches.",
    "ya está, ya anda, muchas gracias, chau",
    "Se solucionó, gracias. Hasta luego, buenas tardes.",
    "bueno bueno chau gracias",
    "hasta mañana, gracias",
    "CHAU",
    "no, gracias, chau!",
];

const NO_GOODBYES: [&str; 38] = [
    "",
    "gracias",
    "muchas gracias",
    "hola, buenas tardes",
    "gracias, chau… ah, no, una pregunta más",
    "chau, pero antes una pregunta",
    "gracias, chau. Ah, ¿y el filtro?",
    "¿ya está, chau?",
    "le dije chau al técnico y se fue",
    "el técnico dijo hasta luego y no volvió",
    "hasta luego no me sirve, lo necesito hoy",
    "adiós oxígeno, no sale nada",
    "gracias por llamar, pero sigue sonando",
    "muchas gracias por todo, pero no anda",
    "nada más que eso me marca",
    "eso es todo lo que dice la pantalla",
    "no tengo oxígeno hasta mañana",
    "el tubo me tiene que durar hasta mañana",
    "no puedo esperar hasta mañana",
    "me dijeron que no vienen hasta mañana.",
    "me queda para aguantar hasta mañana",
    "que tenga un buen día pero antes necesito que me ayude con el filtro",
    "que tenga buen día y dígame cómo limpio el filtro",
    "que pase buen día el que inventó este aparato que no anda",
    "mi hijo me dijo chau",
    "se apagó de golpe y chau",
    "se cortó la luz y adiós",
    "lo enchufo y chau",
    "espere, no me corte",
    "no me diga hasta luego",
    "nos vemos mal con este aparato",
    "chauchas comí al mediodía",
    "el M50 me marca H08",
    "sí, dale",
    "no, todavía no",
    "bueno, entonces lo apago",
    "hasta luego de un rato no arranca",
    "gracias por la ayuda pero me falta saber algo",
];

#[test]
fn e11_a_goodbye_that_is_meant_is_understood() {
    let missed: Vec<&str> = GOODBYES.into_iter().filter(|text| !is_farewell(text)).collect();
    assert!(missed.is_empty(), "not understood: {missed:#?}");
}

#[test]
fn e11_nobody_is_hung_up_on_who_goes_on() {
    let hung_up: Vec<&str> = NO_GOODBYES.into_iter().filter(|text| is_farewell(text)).collect();
    assert!(hung_up.is_empty(), "the call would end: {hung_up:#?}");
}

#[test]
fn e11_a_goodbye_ends_the_call_once_it_was_spoken() {
    let mut line = Line::retell();
    let outputs = line.patient("gracias, chau");
    assert_eq!(request(&outputs).grounding, Grounding::Farewell);
    let outputs = line.answer("Hasta luego.");
    assert_eq!(closed(&outputs), [(1, true)]);
}

#[test]
fn e11_a_goodbye_that_is_overtaken_ends_nothing() {
    let mut line = Line::retell();
    line.patient("gracias, chau");
    let outputs = line.patient("ah, no, espere, una pregunta más");
    assert_eq!(closed(&outputs), []);
    line.find([]);
    assert_eq!(closed(&line.answer("Dígame.")), [(2, false)]);
}

#[test]
fn e11_auras_own_goodbye_ends_nothing() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, "gracias, chau"));
    line.agent("Hasta luego.");
    line.ask();
    assert_eq!(closed(&line.answer("Sigo acá.")), [(1, false)]);
}
