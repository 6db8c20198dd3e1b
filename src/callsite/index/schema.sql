-- The catalogue: what is indexed, and which view shows what. Paths are bytes, since file names are.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- A content is the bytes of one or more files, chunked once; `digest` is git's id of them, `hint` is the language that the path suggests. There are
-- never two with one digest and hint: who adds some looks first, and holds the lock.
-- `text` and `outline` (its chunks and what they define, see outline.py) are UTF-8, deflated with the dictionary that
-- `meta` has; both are NULL, with a reason in `skip`, when the content is not worth searching.
CREATE TABLE contents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest BLOB NOT NULL,
    hint TEXT NOT NULL,
    language TEXT NOT NULL,
    encoding TEXT NOT NULL,
    n_bytes INTEGER NOT NULL,
    n_chunks INTEGER NOT NULL,
    text BLOB,
    outline BLOB,
    skip TEXT NOT NULL,
    problems TEXT NOT NULL
);
CREATE INDEX contents_by_digest ON contents (substr(digest, 1, 4));

-- Which chunks define a name. Checksums stand for names (see prepared.py): `key` for the folded last part, `form` for how
-- it is written and for what it belongs to; so a look-up needs nothing else.
CREATE TABLE names (
    key INTEGER NOT NULL,
    content INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    form INTEGER NOT NULL,
    PRIMARY KEY (key, content, ordinal, form)
) WITHOUT ROWID;

-- A file is a path with a content, or with the reason why its content was never looked at (then content is 0). There are
-- never two of one path, content and reason. `key` is the checksum of the path: an index of paths would hold each again.
-- Ids are never used twice: the lexical index refers to them, and may know some that were never committed here.
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key INTEGER NOT NULL,
    path BLOB NOT NULL,
    content INTEGER NOT NULL,
    skip TEXT NOT NULL,
    shelves TEXT NOT NULL,
    in_base INTEGER NOT NULL DEFAULT 0,
    unused_since REAL
);
CREATE INDEX files_by_path ON files (key);
CREATE INDEX files_by_content ON files (content);
CREATE INDEX files_outside_base ON files (id) WHERE in_base = 0;

-- A view is a work tree, a commit or a folder: the base, shadowed by its overlay. A NULL file is a removed one.
-- The base is the files with `in_base`, never two of one path.
CREATE TABLE views (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    signature TEXT NOT NULL,
    head TEXT NOT NULL,
    branch TEXT NOT NULL,
    n_files INTEGER NOT NULL,
    n_changed INTEGER NOT NULL,
    n_skipped INTEGER NOT NULL,
    smallest INTEGER NOT NULL DEFAULT 0,
    largest INTEGER NOT NULL DEFAULT 0,
    used_at REAL NOT NULL
);
CREATE TABLE overlays (
    view INTEGER NOT NULL,
    path BLOB NOT NULL,
    key INTEGER NOT NULL,
    file INTEGER,
    stat TEXT NOT NULL,
    PRIMARY KEY (view, path)
) WITHOUT ROWID;
CREATE INDEX overlays_by_file ON overlays (file);

-- Files that are gone from the catalogue and must still leave the lexical index.
CREATE TABLE doomed (file INTEGER PRIMARY KEY) WITHOUT ROWID;
