-- Manuals: one line per row of a manual. The vector has no fixed length, so another model fits (DECISIONS 2).
CREATE TABLE knowledge_base (
    id text PRIMARY KEY,
    source text NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    title text NOT NULL,
    section text NOT NULL,
    row_label text NOT NULL,
    content text NOT NULL,
    category text,
    content_hash text NOT NULL,
    embedding vector NOT NULL,
    embedding_model text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Checked at the end of a transaction: a file's rows may change places within one.
    CONSTRAINT knowledge_base_place UNIQUE (source, position) DEFERRABLE INITIALLY DEFERRED
);
-- For the filter's prefixes (R5), whatever the database's collation.
CREATE INDEX knowledge_base_source ON knowledge_base (source text_pattern_ops);

CREATE TABLE knowledge_files (
    source text PRIMARY KEY,
    content_hash text NOT NULL,
    chunks integer NOT NULL,
    ingested_at timestamptz NOT NULL DEFAULT now()
);

-- Lessons: the key is sha256 of the complaint, so feedback on the same one updates it (R26).
CREATE TABLE memory_embeddings (
    id text PRIMARY KEY,
    customer_complaint text NOT NULL,
    answer text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('correction', 'approved')),
    call_id text,
    embedding vector NOT NULL,
    embedding_model text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- The one model whose vectors are searched, and how many rows it measures.
CREATE TABLE embedding_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    model text NOT NULL,
    dims integer NOT NULL CHECK (dims > 0),
    manual_rows bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Vectors of the next model, until all are there and one transaction moves them over.
CREATE TABLE reembedding (
    store text NOT NULL CHECK (store IN ('knowledge_base', 'memory_embeddings')),
    id text NOT NULL,
    model text NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (store, id, model)
);

CREATE TABLE app_settings (
    key text NOT NULL,
    scope text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key, scope)
);

CREATE TABLE prompt_versions (
    key text NOT NULL,
    version text NOT NULL,
    body text NOT NULL,
    sha256 text NOT NULL,
    active boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key, version)
);
CREATE UNIQUE INDEX prompt_versions_one_active ON prompt_versions (key) WHERE active;

-- A notice says only that something changed: whoever listens reads the table, so none can be missed for good.
CREATE FUNCTION aura_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('aura_settings', '');
    RETURN NULL;
END $$;
CREATE TRIGGER app_settings_changed AFTER INSERT OR UPDATE OR DELETE ON app_settings
    FOR EACH STATEMENT EXECUTE FUNCTION aura_settings_changed();

CREATE FUNCTION aura_prompts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('aura_prompts', '');
    RETURN NULL;
END $$;
CREATE TRIGGER prompt_versions_changed AFTER INSERT OR UPDATE OR DELETE ON prompt_versions
    FOR EACH STATEMENT EXECUTE FUNCTION aura_prompts_changed();

-- What happened; the id is made where it happened, so writing twice is writing once (DECISIONS 23).
CREATE TABLE event_log (
    id uuid PRIMARY KEY,
    call_id text NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    turn integer,
    agent_id text,
    at timestamptz NOT NULL,
    payload jsonb NOT NULL
);
CREATE INDEX event_log_call ON event_log (call_id, at);
CREATE INDEX event_log_kind ON event_log (kind, at);
