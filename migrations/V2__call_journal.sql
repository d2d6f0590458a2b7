-- What happened in each call, line by line: the story of a call, and what it is rebuilt from after a crash.
CREATE TABLE call_journal (
    id uuid PRIMARY KEY,
    call_id text NOT NULL,
    source text NOT NULL,
    seq bigint NOT NULL,
    turn integer,
    what text NOT NULL,
    at timestamptz NOT NULL,
    detail jsonb NOT NULL
);
CREATE INDEX call_journal_call ON call_journal (call_id, seq);
CREATE INDEX call_journal_at ON call_journal (at);

-- Who is to be called back (S3); the telephone is here and in no event.
CREATE TABLE pending_callbacks (
    id uuid PRIMARY KEY,
    call_id text NOT NULL,
    source text NOT NULL,
    reason text NOT NULL,
    question text,
    phone text,
    requested_at timestamptz NOT NULL,
    settled_at timestamptz,
    settled_by text
);
CREATE INDEX pending_callbacks_open ON pending_callbacks (requested_at) WHERE settled_at IS NULL;
