//! The tables and their migrations.

use claw_store::StoreError;
use claw_store::adapter::Deadline;
use tokio_postgres::types::Type;

use crate::failure::{uncommitted, unreadable};
use crate::pool::Lease;

/// The migrations. Each step changes the tables from one version to the next. A step that was released must not be
/// changed. `{s}` stands for the schema.
///
/// Texts are compared by their bytes. After a session was deleted, only its row in `sessions` remains.
const STEPS: [&str; 3] = [
    r#"
    CREATE TABLE {s}.sessions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project text COLLATE "C" NOT NULL,
        session text COLLATE "C" NOT NULL,
        epoch bigint NOT NULL DEFAULT 0,
        owner_id text,
        owner_name text,
        expires timestamptz,
        UNIQUE (project, session)
    );
    CREATE TABLE {s}.transcripts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        session_id bigint NOT NULL,
        subpath text COLLATE "C" NOT NULL,
        lines bigint NOT NULL DEFAULT 0,
        summary text,
        modified timestamptz,
        UNIQUE (session_id, subpath)
    );
    CREATE TABLE {s}.writers (
        transcript bigint NOT NULL,
        writer bytea NOT NULL,
        next bigint NOT NULL,
        PRIMARY KEY (transcript, writer)
    );
    CREATE TABLE {s}.lines (
        transcript bigint NOT NULL,
        position bigint NOT NULL,
        uuid bytea,
        line text COLLATE "C" NOT NULL,
        PRIMARY KEY (transcript, position)
    );
    CREATE UNIQUE INDEX lines_uuid ON {s}.lines (transcript, uuid) WHERE uuid IS NOT NULL;
"#,
    "ALTER TABLE {s}.sessions ADD COLUMN owner_address text",
    "ALTER TABLE {s}.sessions ADD COLUMN deleted timestamptz",
];

/// The columns of [`sizes`](crate::sizes). They have defaults, and the version of the tables stays the same when they
/// are added. So hosts with an older version of claw can still write to the tables while hosts are replaced one after
/// the other.
const COLUMNS: &str = "
    ALTER TABLE {s}.transcripts
        ADD COLUMN IF NOT EXISTS sized bigint NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS bytes bigint NOT NULL DEFAULT 0";

const HAS_COLUMNS: &str = "
    SELECT count(*) = 2 FROM pg_attribute
    WHERE attrelid = to_regclass('{s}.transcripts') AND attname IN ('sized', 'bytes') AND NOT attisdropped";

/// The schema that contains the tables.
pub(crate) struct Schema {
    pub(crate) name: String,
}

impl Schema {
    /// Fails unless the name consists of lower-case letters, digits and underscores.
    pub(crate) fn new(name: &str) -> Result<Self, StoreError> {
        let fits = (1..=63).contains(&name.len())
            && !name.starts_with(|char: char| char.is_ascii_digit())
            && name
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        if !fits {
            return Err(StoreError::refused(format!(
                "the schema {:?} is not a name of at most 63 lower-case letters, digits and underscores",
                name.chars().take(100).collect::<String>()
            )));
        }
        Ok(Self {
            name: name.to_owned(),
        })
    }

    /// Returns a statement in which `{s}` is replaced by the schema.
    pub(crate) fn sql(&self, text: &str) -> String {
        text.replace("{s}", &format!("\"{}\"", self.name))
    }

    /// Checks the tables. If `migrate` is set, creates missing tables. If several hosts start at the same time, they
    /// migrate one after the other.
    pub(crate) async fn prepare(
        &self,
        lease: &Lease<'_>,
        deadline: Deadline,
        migrate: bool,
    ) -> Result<(), StoreError> {
        deadline
            .storing_nothing(async {
                let version = self.version(lease).await?;
                let is_newest = version == STEPS.len();
                if is_newest && self.has_columns(lease).await? {
                    return Ok(());
                }
                if !migrate {
                    let name = &self.name;
                    return Err(StoreError::refused(if is_newest {
                        format!("the tables of the schema {name:?} lack columns, and may not be changed")
                    } else {
                        let newest = STEPS.len();
                        format!(
                            "the schema {name:?} has version {version} of the tables instead of {newest}, and may not be changed"
                        )
                    }));
                }
                self.migrate(lease).await
            })
            .await
    }

    /// Returns the version of the tables. Returns 0 if there are no tables.
    async fn version(&self, lease: &Lease<'_>) -> Result<usize, StoreError> {
        let has_table = self.sql(
            "SELECT current_setting('server_encoding'), to_regclass('{s}.migrations') IS NOT NULL",
        );
        let rows = lease.transact(lease.query(&has_table, &[])).await?;
        let row = rows.first().ok_or_else(no_row)?;
        let encoding: String = row.try_get(0).map_err(unreadable)?;
        if encoding != "UTF8" {
            return Err(StoreError::refused(format!(
                "the encoding of the database is {encoding} instead of UTF8"
            )));
        }
        if !row.try_get::<_, bool>(1).map_err(unreadable)? {
            return Ok(0);
        }
        let newest = self.sql("SELECT coalesce(max(version), 0) FROM {s}.migrations");
        let rows = lease.transact(lease.query(&newest, &[])).await?;
        read_version(rows.first())
    }

    async fn has_columns(&self, lease: &Lease<'_>) -> Result<bool, StoreError> {
        let sql = self.sql(HAS_COLUMNS);
        let rows = lease.transact(lease.query(&sql, &[])).await?;
        let row = rows.first().ok_or_else(no_row)?;
        row.try_get(0).map_err(unreadable)
    }

    async fn migrate(&self, lease: &Lease<'_>) -> Result<(), StoreError> {
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended('claw ' || $1, 0))";
        let params = [(&self.name as _, Type::TEXT)];
        lease.begin(lease.query(lock, &params)).await?;
        // This is a separate statement. It sees everything that other hosts committed while the previous statement
        // waited for the lock.
        let missing = "SELECT to_regnamespace(quote_ident($1)) IS NULL";
        let rows = lease.query(missing, &params).await.map_err(uncommitted)?;
        let row = rows.first().ok_or_else(no_row)?;
        // `IF NOT EXISTS` is not used: it requires the permission to create schemas even if the schema exists.
        if row.try_get(0).map_err(unreadable)? {
            self.run(lease, "CREATE SCHEMA {s}").await?;
        }
        self.run(
            lease,
            "CREATE TABLE IF NOT EXISTS {s}.migrations (
                version bigint PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now()
            )",
        )
        .await?;
        let newest = self.sql("SELECT coalesce(max(version), 0) FROM {s}.migrations");
        let rows = lease.query(&newest, &[]).await.map_err(uncommitted)?;
        let version = read_version(rows.first())?;
        for (at, step) in STEPS.iter().enumerate().skip(version) {
            self.run(lease, step).await?;
            let done = format!("INSERT INTO {{s}}.migrations (version) VALUES ({})", at + 1);
            self.run(lease, &done).await?;
        }
        self.run(lease, COLUMNS).await?;
        lease.commit(async { Ok(()) }).await
    }

    async fn run(&self, lease: &Lease<'_>, text: &str) -> Result<(), StoreError> {
        lease.simple(&self.sql(text)).await.map_err(uncommitted)
    }
}

fn read_version(row: Option<&tokio_postgres::Row>) -> Result<usize, StoreError> {
    let version: i64 = row.ok_or_else(no_row)?.try_get(0).map_err(unreadable)?;
    match usize::try_from(version) {
        Ok(version) if version <= STEPS.len() => Ok(version),
        _ => Err(StoreError::refused(format!(
            "the tables have version {version}, and this claw knows those up to {}",
            STEPS.len()
        ))),
    }
}

fn no_row() -> StoreError {
    StoreError::corrupt("a question has no answer")
}
