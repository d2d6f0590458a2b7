//! Whether the patient says goodbye and means it.
use regex::Regex;
use std::sync::LazyLock;

/// A farewell said on its own behalf, at the end of what was said.
static GOODBYE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        \b( chau | chao | adi[oó]s | hasta\ (luego|pronto|mañana|la\ vista) | nos\ vemos
          | (que\ )?(tenga|tengan|pase|pasen)\ (un\ )?(buen|lindo|muy\ buen)[a-z]*\ (d[ií]a|tarde|noche|fin)[a-z\ ]*
          | (nada\ m[aá]s|eso\ es\ todo|eso\ ser[ií]a\ todo|eso\ era\ todo)[,.\ ]+(muchas\ )?gracias
          | (muchas\ )?gracias\ por\ (todo|la\ ayuda|su\ ayuda|llamar|atenderme)
        )\b [\s,.!]*
        ( (muchas\ )?gracias | chau | adi[oó]s | hasta\ luego | buen[oa]s?\ (d[ií]as?|tardes?|noches?) | muy\ amable | señor(ita|a)? | [\s,.!] )* $",
    )
    .ok()
});

/// True for 'gracias, chau' and the like; false as soon as something is asked, or goes on after it.
pub fn is_farewell(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let asks = lower.contains(['?', '¿']);
    !asks && GOODBYE.as_ref().is_some_and(|goodbye| goodbye.is_match(&lower))
}
