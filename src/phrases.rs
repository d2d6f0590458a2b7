//! Everything that patients and operators read or hear from the code, in one place (DECISIONS 14).

/// A sentence in Spanish (es-AR), with its English beside it for whoever maintains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// What is said.
    pub es: &'static str,
    /// What it means.
    pub en: &'static str,
}

/// The Retell bot's first words.
pub const GREETING: Phrase = Phrase {
    es: "Hola, habla Aura, de la mesa de ayuda de oxígeno. ¿En qué lo puedo ayudar?",
    en: "Hello, this is Aura, from the oxygen help desk. How can I help you?",
};
/// The copilot's holding sentence, the documents' own words (R19, S3).
pub const HOLDING_COPILOT: Phrase = Phrase {
    es: "Déjeme confirmar ese dato con el manual del equipo y le contesto en un momento.",
    en: "Let me confirm that with the equipment's manual and I'll answer you in a moment.",
};
/// The bots' sentence for when there is nothing that may be said (S3).
pub const HOLDING_BOT: Phrase = Phrase {
    es: "Prefiero no darle un dato sin confirmarlo. ¿Me cuenta qué equipo tiene y qué le muestra?",
    en: "I'd rather not tell you anything unconfirmed. What equipment have you got, and what does it show?",
};
/// Asks which equipment it is (S6, DECISIONS 4).
pub const ASK_EQUIPMENT: Phrase = Phrase {
    es: "Para no darle una indicación de otro equipo, necesito saber cuál tiene. ¿Me dice la marca y el modelo?",
    en: "So as not to give you another device's instructions, I need to know which one you have. Make and model?",
};
/// Goodbye.
pub const FAREWELL: Phrase = Phrase {
    es: "Gracias por llamar. Cualquier cosa nos vuelve a llamar. Hasta luego.",
    en: "Thank you for calling. Call us again for anything. Goodbye.",
};
/// To a patient who has been silent.
pub const REMINDER: Phrase =
    Phrase { es: "¿Sigue en línea? Lo escucho.", en: "Are you still there? I'm listening." };
/// In the last user message, where the equipment must be asked for.
pub const BLOCK_ASK_EQUIPMENT: Phrase = Phrase {
    es: "[EQUIPO SIN IDENTIFICAR]\nNo se sabe qué equipo tiene la persona. Pregúntele marca y modelo. No diga nada técnico en esta respuesta.",
    en: "The equipment is unknown: ask for make and model, say nothing technical.",
};
/// In the last user message, when the peer asks for a nudge.
pub const BLOCK_REMINDER: Phrase = Phrase {
    es: "[PACIENTE EN SILENCIO]\nLa persona no dijo nada hace un rato. Pregúntele con amabilidad si sigue en línea. No repita indicaciones.",
    en: "The patient has been silent: ask gently whether they are there; repeat nothing.",
};
/// The turn to answer where nobody has spoken yet.
pub const NOTHING_SAID: Phrase =
    Phrase { es: "(todavía no se escuchó a nadie)", en: "(nobody has been heard yet)" };
/// Heads the manual's rows in the prompt, everywhere (DECISIONS 9).
pub const MANUAL_HEADER: &str = "[INFORMACIÓN TÉCNICA DEL MANUAL]";
/// Heads supervisors' lessons in the prompt.
pub const LESSONS_HEADER: &str = "[CORRECCIONES DE SUPERVISORES]";
/// Heads the caller's data in the system message (E6, DECISIONS 11).
pub const PATIENT_HEADER: &str = "[DATOS DEL PACIENTE]";
/// Introduces a single row (R18).
pub const EXACT_ENTRY: Phrase = Phrase {
    es: "Esta es la entrada exacta del manual para la consulta. Siga ÚNICAMENTE esta información.",
    en: "This is the exact entry for the question: follow only this.",
};
/// Introduces several rows (R18).
pub const SEVERAL_ENTRIES: Phrase = Phrase {
    es: "Estas son las entradas del manual más cercanas a la consulta. Use la del código que nombró quien llama, y ninguna otra.",
    en: "The nearest entries: use the one whose code the caller named, and no other.",
};
