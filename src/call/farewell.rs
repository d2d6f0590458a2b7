//! Whether the patient says goodbye and means it: a call is never ended on somebody who goes on.
use regex::Regex;
use std::sync::LazyLock;

/// A goodbye that stands by itself (at the beginning, after a pause, or after thanks), with nothing but
/// courtesies behind it. 'No vienen hasta mañana', 'me dijo chau' and the like are no goodbyes.
static GOODBYE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        ( ^ | [,.;:!¡…-] \s* | \b( gracias | bueno | listo | ok | okey | perfecto | genial | dale | no | bien | chau | amable )\s+ )
        ( chau | chao | adi[oó]s | hasta\ (luego|pronto|mañana|la\ vista) | nos\ vemos
          | (que\ )?(tengan?|pasen?)\ (un\ |una\ |muy\ )*(buen|buena|buenas|lindo|linda)
            \ (d[ií]as?|tardes?|noches?|jornada|finde|fin\ de\ semana)
          | (nada\ m[aá]s|eso\ (es|era|ser[ií]a)\ todo)[,.\ ]+(muchas\ )?gracias
          | (muchas\ )?gracias\ por\ (todo|la\ ayuda|su\ ayuda|llamar|atenderme)
        )\b
        ( [\s,.;!…]+ | \b( (muchas\ )?gracias | chau | adi[oó]s | hasta\ luego | buen[oa]s?\ (d[ií]as?|tardes?|noches?)
          | muy\ amable | señor(ita|a)? | que\ (tenga|pase)\ (un\ )?(buen|lindo)\ d[ií]a )\b )* $",
    )
    .ok()
});

/// True for 'gracias, chau' and the like; false as soon as something is asked, or goes on after it.
pub fn is_farewell(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let asks = lower.contains(['?', '¿']);
    !asks && GOODBYE.as_ref().is_some_and(|goodbye| goodbye.is_match(&lower))
}
