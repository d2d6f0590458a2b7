-- Who did what (E10, S4): it only grows, and each entry carries the hash of all before it.
CREATE TABLE audit_log (
    seq bigint PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    at timestamptz NOT NULL,
    by text NOT NULL,
    action text NOT NULL,
    -- A keyed hash of the document: an erasure leaves the chain valid.
    patient text,
    call_id text,
    -- Not jsonb: its text is part of what was hashed, and jsonb would write numbers anew.
    detail json NOT NULL,
    hash bytea NOT NULL
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_patient ON audit_log (patient) WHERE patient IS NOT NULL;

-- Where the trail ends: whoever writes locks it, and a tail that is cut off shows.
CREATE TABLE audit_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    seq bigint NOT NULL,
    hash bytea NOT NULL
);
INSERT INTO audit_head (seq, hash) VALUES (0, decode(repeat('00', 32), 'hex'));

CREATE FUNCTION aura_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail only grows: % on % is refused', TG_OP, TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_log_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION aura_audit_refuse();
CREATE TRIGGER audit_head_stays BEFORE DELETE OR TRUNCATE ON audit_head
    FOR EACH STATEMENT EXECUTE FUNCTION aura_audit_refuse();
-- In a session that passes triggers over, too.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_grows;
ALTER TABLE audit_head ENABLE ALWAYS TRIGGER audit_head_stays;

-- Whose calls they were. The document itself is sealed with the vault's key, bound to the call.
CREATE TABLE call_patients (
    call_id text NOT NULL,
    patient text NOT NULL,
    source text NOT NULL,
    state text NOT NULL,
    sealed text,
    at timestamptz NOT NULL,
    PRIMARY KEY (call_id, patient)
);
CREATE INDEX call_patients_patient ON call_patients (patient);
CREATE INDEX call_patients_at ON call_patients (at);

-- That a patient's data were erased, and nothing else about them.
CREATE TABLE erasures (
    id uuid PRIMARY KEY,
    patient text NOT NULL,
    at timestamptz NOT NULL,
    by text NOT NULL,
    counts jsonb NOT NULL
);
CREATE INDEX erasures_patient ON erasures (patient);
-- Facts of these that still arrive from a journal are dropped.
CREATE TABLE erased_calls (
    call_id text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);

-- What is deleted by age is found by age.
CREATE INDEX event_log_at ON event_log (at);
CREATE INDEX pending_callbacks_settled ON pending_callbacks (settled_at) WHERE settled_at IS NOT NULL;
-- An erasure takes the lessons of its calls along.
CREATE INDEX memory_embeddings_call ON memory_embeddings (call_id) WHERE call_id IS NOT NULL;
CREATE INDEX pending_callbacks_call ON pending_callbacks (call_id);
