//! Who carries it into the world: actors, sockets, SQL, HTTP.
//!
//! | room | what it does |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`config`] | environment to typed configuration |
//! | [`service`] | starts everything in order, drains it in reverse; the only room that wires |
//! | [`base`] | Postgres, migrated and seeded |
//! | [`web`] | the doors: Retell's websocket and webhooks, forked calls, sign-in, health, metrics |
//! | [`calls`], [`call`] | the registry of calls; the actor that carries one |
//! | [`forks`], [`ears`], [`stt`], [`audiosocket`] | forked calls: the registry of ears, the actor that hears one, recognisers, Asterisk's TCP port |
//! | [`rag`], [`llm`], [`lookup`] | what a call talks to: searches, answers, the patients' system |
//! | [`desk`], [`journal`], [`call_journal`] | who watches; what is kept, and how a call writes its story down |
//! | [`accounts`] | who is asking: sign-in, sessions, tokens, tickets |
//! | [`audit`], [`vault`] | who did what; documents sealed and hashed |
//! | [`capture`] | a second reader of documents beside the rules |
//! | [`summary`] | has a model word the summaries of calls that are over |
//! | [`retention`] | deletes by age, once a night |
//! | [`breaker`] | leaves a dependency that keeps failing alone |
//! | [`patients`] | the port to the patients' system, and its adapters |
//! | [`embed`], [`store`], [`postgres`], [`openai`] | vectors, SQL, the embedded server, the shared HTTP client |
//! | [`ingest`], [`reembed`], [`prompt_files`] | offline work on the base |
//! | [`clock`] | the runtime's clock |
//! | [`doctor`] | looks at everything that Aura stands on |
//! | [`caller`] | the scripted caller behind `aura call` |
//! | [`console`] | the operators' terminal client behind `aura desk` |
pub mod accounts;
pub mod audiosocket;
pub mod audit;
pub mod base;
pub mod breaker;
pub mod call;
pub mod call_journal;
pub mod caller;
pub mod calls;
pub mod capture;
pub mod cli;
pub mod clock;
pub mod config;
pub mod console;
pub mod desk;
pub mod doctor;
pub mod ears;
pub mod embed;
pub mod forks;
pub mod ingest;
pub mod journal;
pub mod llm;
pub mod lookup;
pub mod openai;
pub mod patients;
pub mod postgres;
pub mod problem;
pub mod prompt_files;
pub mod rag;
pub mod reembed;
pub mod retention;
pub mod secret;
pub mod service;
pub mod store;
pub mod stt;
pub mod summary;
pub mod telemetry;
pub mod vault;
pub mod web;
