"""Which index can this version read? The history of the folder's format.

    1  2026-11  catalogue.sqlite (contents, chunks, symbols, files, base, overlays, views), lexical/{files,chunks}
    2  2026-11  symbols are kept by content and found by a checksum of their name
    3  2026-11  a file of one chunk passes for what it defines
    4  2026-11  a digest or a key is one term
    5  2026-11  chunks and symbols of a content are packed, names are checksums
    6  2026-12  texts share a dictionary, the base is a mark on its files, what limits a search is one field, files know
                those whole identifiers that they say more than once
    7  2026-12  chunks know no symbols apart from their words, digests are bytes, paths are
                found by a checksum

An index of another format, or of another version of the chunker, is made anew; nothing but time is lost, because
everything in it derives from the repository.
"""

FORMAT = 7
CATALOGUE = "catalogue.sqlite"
LEXICAL = "lexical"
