-- Who may come in: people, their sessions, machines' tokens. Of every secret only a hash is kept.
CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9._-]{1,39}$'),
    role text NOT NULL CHECK (role IN ('operator', 'supervisor', 'administrator')),
    -- Argon2id as a PHC string; none until somebody has chosen a password.
    password_hash text,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE account_sessions (
    id_hash bytea PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- How they proved who they are.
    proof text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX account_sessions_account ON account_sessions (account_id);
CREATE INDEX account_sessions_expiry ON account_sessions (expires_at);

CREATE TABLE account_tokens (
    token_hash bytea PRIMARY KEY,
    name text NOT NULL,
    -- None: a machine's own.
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    last_used_at timestamptz
);
-- A name is free again once its token was revoked.
CREATE UNIQUE INDEX account_tokens_name ON account_tokens (name) WHERE revoked_at IS NULL;
CREATE INDEX account_tokens_account ON account_tokens (account_id);

-- One-time links: to set an account's password, or (without an account) to make the first administrator.
CREATE TABLE account_links (
    token_hash bytea PRIMARY KEY,
    account_id uuid REFERENCES accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
-- At most one of each: a newer one replaces it.
CREATE UNIQUE INDEX account_links_one
    ON account_links (coalesce(account_id, '00000000-0000-0000-0000-000000000000'));
