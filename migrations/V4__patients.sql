-- What was last found of a patient, for when the patients' system is away: models, never devices (R13). The
-- key is a keyed hash of the document, which stands nowhere here.
CREATE TABLE patients (
    patient text PRIMARY KEY CHECK (patient ~ '^[0-9a-f]{32}$'),
    models jsonb NOT NULL CHECK (jsonb_typeof(models) = 'array'),
    -- The adapter: what one system knew never stands in for another.
    source text NOT NULL,
    found_at timestamptz NOT NULL DEFAULT now()
);
-- By which retention deletes.
CREATE INDEX patients_found_at ON patients (found_at);
