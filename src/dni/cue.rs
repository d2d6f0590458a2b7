//! Words around a number that say what it is: a document, or a telephone, a date, a price, a code.

use crate::tokens::Key;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What the words around a number say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// The document itself.
    Document,
    /// CUIL or CUIT: it holds the document.
    TaxNumber,
    /// Another paper (`cédula`): its number may be the document's, or not.
    OtherPaper,
    /// A telephone.
    Telephone,
    /// Anything else that has digits: dates, addresses, serial numbers, displays, money.
    Foreign,
}

const DOCUMENT: &str = "dni deni documento documentos document docu libreta civica enrolamiento identidad";
const TAX: &str = "cuil cuit cuill cuitcuil";
const PAPER: &str = "cedula";
const TELEPHONE: &str = "telefono telefonos tel telef cel celu celular celulares movil fijo whatsapp wasap guasap \
    interno llamar llame llamen llamenme llameme llamame llamanos contacto contactar contactarme caracteristica fax ubicar \
    ubicarme ubican encuentran comunicarse comuniquese mensaje";
/// Other numbers that people read out to a desk.
const FOREIGN: &str = "serie serial sn lote afiliado afiliada afiliacion socio socia beneficio beneficiario \
    beneficiaria legajo expediente pedido orden remito tramite turno reclamo caso ticket gestion cbu alias cuenta tarjeta \
    visa patente matricula codigo clave contrasena pin contrato cliente poliza credencial carnet carne \
    pasaporte historia registro comprobante recibo boleta inventario etiqueta modelo \
    nacio naci nacimiento nacido nacida fecha cumpleanos cumplo dia atendieron \
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre \
    calle avenida av altura piso departamento depto dpto postal barrio manzana torre edificio vivo direccion domicilio \
    ruta kilometro \
    pantalla display visor marca muestra error contador horimetro cuentahoras aparece parpadea lectura presion \
    flujo saturacion \
    precio cuesta salio vale pague pago cobran cobro factura jubilacion sueldo gano gana monto importe total deuda \
    saldo debo";

/// Words right after a number that make it an amount of something.
const UNITS: &str = "litro litros lt lts l ml cc minuto minutos min hora horas hs dia dias semana semanas mes meses ano anos \
    metro metros m km kilometro kilometros cuadra cuadras voltio voltios volt volts v hertz hz watts vatios kilo kilos kg \
    gramo gramos mg grado grados pastilla pastillas gota gotas vez veces persona personas habitante habitantes \
    peso pesos dolar dolares euro euros mangos lucas palos por porciento psi bar libras tubos equipos \
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre \
    pulgadas";

/// Words of somebody who only says a number.
const BARE: &str = "si bueno eh ehh ehm em mm mmm este a ver es mi el la lo le al numero nro anote anota anoto tome \
    nota digo paso dale ok okey hola buenas buenos dias dia tardes noches perdon perdone disculpe ahi va ya se seria \
    mire mira n listo ese eso claro aja creo senorita senor senora porfa favor por gracias correcto exacto \
    espere espera un momento momentito";

type Words = HashMap<&'static str, Cue>;

fn cues() -> Words {
    let all = [
        (DOCUMENT, Cue::Document),
        (TAX, Cue::TaxNumber),
        (PAPER, Cue::OtherPaper),
        (TELEPHONE, Cue::Telephone),
        (FOREIGN, Cue::Foreign),
    ];
    all.iter().flat_map(|(words, cue)| words.split_whitespace().map(move |word| (word, *cue))).collect()
}

/// What `word` says about a number near it.
pub(super) fn cue(word: &Key) -> Option<Cue> {
    static CUES: LazyLock<Words> = LazyLock::new(cues);
    CUES.get(word.as_str()).copied()
}

/// Whether a number right before `word` is an amount of it.
pub(super) fn is_unit(word: &Key) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| UNITS.split_whitespace().collect());
    WORDS.contains(word.as_str())
}

/// Whether `word` adds nothing to a number that is being said.
pub(super) fn is_bare(word: &Key) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| BARE.split_whitespace().collect());
    WORDS.contains(word.as_str())
}
