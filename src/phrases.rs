//! Everything that patients and operators read or hear from the code, in one place (DECISIONS 14).

pub mod desk;

use crate::generation::FailureKind;

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
/// The bots' sentence for when there is nothing that may be said: it promises a call back, which is put on
/// the desk (S3).
pub const HOLDING_BOT: Phrase = Phrase {
    es: "Prefiero no darle un dato sin confirmarlo. Dejo pedido que lo llame una persona de la mesa de ayuda. \
         Mientras tanto, ¿me dice qué equipo tiene y qué le muestra?",
    en: "I'd rather not tell you anything unconfirmed. I'm asking for somebody from the desk to call you. \
         Meanwhile, what equipment have you got, and what does it show?",
};
/// The sentence of [`HOLDING_BOT`] that promises the call back.
pub const CALLBACK_PROMISE: &str = "Dejo pedido que lo llame una persona de la mesa de ayuda.";
/// The same once the call back has been promised.
pub const HOLDING_BOT_AGAIN: Phrase = Phrase {
    es: "Ese dato tampoco se lo puedo confirmar yo: se lo va a decir la persona que lo llame. ¿Necesita algo más?",
    en: "I can't confirm that either: whoever calls you will tell you. Anything else?",
};
/// Fills the pause while an answer takes long; not kept in the history of the talk.
pub const FILLER: Phrase = Phrase { es: "Un momento, por favor.", en: "One moment, please." };
/// Before a call that keeps breaking is ended.
pub const BROKEN: Phrase = Phrase {
    es: "Disculpe, tengo un problema para seguir con esta llamada. Dejo pedido que lo llame una persona de la \
         mesa de ayuda. Hasta luego.",
    en: "Sorry, I can't go on with this call. I'm asking for somebody from the desk to call you. Goodbye.",
};
/// Danger: somebody can't breathe, or isn't conscious (S1, reviewed by the customer). `{numero}` is the
/// emergency number.
pub const EMERGENCY_BREATHING: Phrase = Phrase {
    es: "Esto es una emergencia: llame ya al {numero}. Si tiene oxígeno de respaldo, úselo mientras llega la ayuda. \
         No deje sola a la persona.",
    en: "This is an emergency: call {numero} now. If there is backup oxygen, use it until help comes. Don't leave \
         the person alone.",
};
/// Danger: fire, smoke, a smell of burning (S1). Never the backup.
pub const EMERGENCY_FIRE: Phrase = Phrase {
    es: "Salgan todos de la casa ahora mismo. No abran ningún oxígeno. Desde afuera, llamen al {numero}.",
    en: "Everybody out of the house, now. Open no oxygen. From outside, call {numero}.",
};
/// Danger of any other kind: nothing about the equipment (S1).
pub const EMERGENCY_OTHER: Phrase = Phrase {
    es: "Esto es una emergencia: llame ya al {numero} y haga lo que le indiquen.",
    en: "This is an emergency: call {numero} now and do what they tell you.",
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
/// The last word, where a goodbye must be said with the hanging up.
pub const GOODBYE: Phrase = Phrase { es: "Hasta luego.", en: "Goodbye." };
/// While the caller is transferred to a person.
pub const TRANSFERRING: Phrase = Phrase {
    es: "Lo comunico con una persona de la mesa de ayuda. No corte, por favor.",
    en: "I'm putting you through to a person from the help desk. Please hold.",
};
/// To the person who takes a transferred call.
pub const TRANSFERRED: Phrase = Phrase {
    es: "Le transfiero una llamada que atendía Aura, la asistente de la mesa de ayuda de oxígeno.",
    en: "Here is a call that Aura, the oxygen help desk's assistant, was answering.",
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
/// In the last user message of every turn after a red flag.
pub const BLOCK_EMERGENCY: Phrase = Phrase {
    es: "[EMERGENCIA EN CURSO]\nYa se le indicó llamar a emergencias. Acompañe con calma, en una frase. Pregunte si ya llamaron. No dé indicaciones sobre el equipo.",
    en: "An emergency is under way: keep company, ask whether they have called; nothing about the equipment.",
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

/// Why an answer failed, as the desk reads it (E9).
pub const fn failure(kind: FailureKind) -> Phrase {
    match kind {
        FailureKind::Busy => Phrase { es: "El sistema está sobrecargado.", en: "Too much at once." },
        FailureKind::Timeout => {
            Phrase { es: "La respuesta tardó demasiado.", en: "The answer took too long." }
        }
        FailureKind::Upstream => Phrase { es: "El modelo falló.", en: "The model failed." },
        FailureKind::Unavailable => {
            Phrase { es: "El modelo no está disponible.", en: "The model isn't available." }
        }
    }
}
