"""The clients of the scenarios: each test talks to `ggp lsp` over standard input and output, as an editor does.

`GGP` names the program. Every scenario runs with the capabilities of several editors, in UTF-8 and UTF-16.
"""

import asyncio
import os

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

SERVER = [os.environ.get("GGP", "ggp"), "lsp"]
EDITORS = ["visual-studio-code", "neovim", "emacs"]


class Editor:
    """One client with one document, whose text may hold a `|` where the cursor stands."""

    URI = "file:///games/scenario.kif"

    def __init__(self, client: LanguageClient, capabilities: types.ServerCapabilities):
        self.client = client
        self.capabilities = capabilities
        self.text = ""
        self.version = 0
        self.cursor = types.Position(0, 0)

    @property
    def is_utf8(self) -> bool:
        return self.capabilities.position_encoding == "utf-8"

    def position(self, offset: int) -> types.Position:
        """The position of a character of the text."""
        before = self.text[:offset]
        line = before.count("\n")
        column = before[before.rfind("\n") + 1 :]
        units = len(column.encode()) if self.is_utf8 else len(column.encode("utf-16-le")) // 2
        return types.Position(line, units)

    def offset(self, position: types.Position) -> int:
        lines = self.text.split("\n")
        start = sum(len(line) + 1 for line in lines[: position.line])
        encoded = lines[position.line].encode("utf-8" if self.is_utf8 else "utf-16-le")
        size = 1 if self.is_utf8 else 2
        return start + len(encoded[: position.character * size].decode("utf-8" if self.is_utf8 else "utf-16-le"))

    def at(self, text: str, nth: int = 0) -> types.Position:
        """The position of the nth occurrence of a text."""
        offset = -1
        for _ in range(nth + 1):
            offset = self.text.index(text, offset + 1)
        return self.position(offset)

    def source(self, range_: types.Range) -> str:
        return self.text[self.offset(range_.start) : self.offset(range_.end)]

    def open(self, text: str) -> None:
        mark = text.find("|")
        self.text = text.replace("|", "", 1)
        if mark >= 0:
            self.cursor = self.position(mark)
        if self.version:
            self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document))
        self.version += 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(
                types.TextDocumentItem(uri=self.URI, language_id="gdl", version=self.version, text=self.text)
            )
        )

    def change(self, old: str, new: str) -> None:
        """Replaces the first occurrence of a text, as an incremental change."""
        start = self.text.index(old)
        range_ = types.Range(self.position(start), self.position(start + len(old)))
        self.text = self.text[:start] + new + self.text[start + len(old) :]
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=self.URI, version=self.version),
                [types.TextDocumentContentChangePartial(range=range_, text=new)],
            )
        )

    def applied(self, edits) -> str:
        """The text after edits that do not overlap."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: self.offset(edit.range.start), reverse=True):
            text = text[: self.offset(edit.range.start)] + edit.new_text + text[self.offset(edit.range.end) :]
        return text

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.URI)

    async def diagnostics(self, wanted=lambda found: True, seconds: float = 30.0):
        """The first published findings about the present version that are as wanted."""
        published = []
        for _ in range(int(seconds * 50)):
            published = self.client.diagnostics.get(self.URI)
            if published is not None and self.seen == self.version and wanted(published):
                return list(published)
            await asyncio.sleep(0.02)
        raise AssertionError(f"not published in {seconds} s; last: {published}")

    def watch(self) -> None:
        self.seen = None
        inner = self.client.protocol.fm.features["textDocument/publishDiagnostics"]

        def note(*arguments):
            self.seen = arguments[-1].version
            return inner(*arguments)

        self.client.protocol.fm.features["textDocument/publishDiagnostics"] = note


async def session(client: LanguageClient, editor: str, encodings=None, options=None) -> Editor:
    capabilities = client_capabilities(editor)
    if encodings:
        capabilities.general = capabilities.general or types.GeneralClientCapabilities()
        capabilities.general.position_encodings = encodings
    params = types.InitializeParams(capabilities=capabilities, initialization_options=options)

    @client.feature("workspace/codeLens/refresh")
    def refresh(*_):
        return None

    result = await client.initialize_session(params)
    editor = Editor(client, result.capabilities)
    editor.watch()
    return editor


OPTIONS = {"pages": "https://example.org/guide/diagnostics/", "domains": True}


@pytest_lsp.fixture(
    params=[(editor, encoding) for editor in EDITORS for encoding in ("utf-8", "utf-16")],
    config=ClientServerConfig(server_command=SERVER),
)
async def client(request, lsp_client: LanguageClient):
    editor, encoding = request.param
    encodings = [types.PositionEncodingKind.Utf8] if encoding == "utf-8" else None
    lsp_client.editor = await session(lsp_client, editor, encodings, OPTIONS)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient) -> Editor:
    return client.editor
