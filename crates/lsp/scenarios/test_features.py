"""What an editor asks for, feature by feature."""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

GAME = """\
;;; A small race
;;; in two lines

(role white)
(role black)

;;; ---- The state: é𝄞 ----

; Where a runner stands.
(init (at white 1))
(init (at black 1))
(<= (next (at ?who ?to)) (does ?who (run ?to)))
(<= (next (at ?who ?at)) (true (at ?who ?at)) (does ?who wait))

;;; ---- Moves ----

(<= (legal ?who (run ?to))
    (true (at ?who ?from))
    (succ ?from ?to))
(<= (legal ?who wait) (role ?who))

(succ 1 2) (succ 2 3)

;;; ---- The end ----

(<= terminal (true (at ?who 3)))
(<= (goal ?who 100) (true (at ?who 3)))
(<= (goal ?who 0) (role ?who) (not (true (at ?who 3))))
"""


def here(editor, position):
    return {"text_document": editor.document, "position": position}


async def hover(editor, position):
    found = await editor.client.text_document_hover_async(types.HoverParams(**here(editor, position)))
    return found and found.contents.value


async def labels(editor):
    found = await editor.client.text_document_completion_async(types.CompletionParams(**here(editor, editor.cursor)))
    return [item.label for item in found.items]


async def test_encoding(editor, client):
    assert editor.capabilities.position_encoding in ("utf-8", "utf-16")


async def test_a_clean_game_has_no_findings(editor):
    editor.open(GAME)
    assert await editor.diagnostics() == []


async def test_findings_have_code_page_and_places(editor):
    editor.open(GAME.replace("(role black)", "; é𝄞\n(<= (p ?x) (not (q ?x)))"))
    found = await editor.diagnostics(lambda found: any(d.code == "unsafe-variable" for d in found))
    unsafe = next(d for d in found if d.code == "unsafe-variable")
    assert unsafe.severity == types.DiagnosticSeverity.Error
    assert unsafe.source == "ggp"
    assert unsafe.code_description.href == "https://example.org/guide/diagnostics/unsafe-variable.html"
    assert editor.source(unsafe.range) == "?x"


async def test_syntax_errors_follow_the_text(editor):
    editor.open(GAME)
    assert await editor.diagnostics() == []
    editor.change("(role ?who))\n\n(succ", "(role ?who)\n\n(succ")
    found = await editor.diagnostics()
    assert [d.code for d in found] == ["unclosed-parenthesis"]
    assert found[0].related_information
    editor.change("(role ?who)\n\n(succ", "(role ?who))\n\n(succ")
    assert await editor.diagnostics() == []


async def test_playouts_are_the_second_tier(editor):
    editor.open(GAME.replace("(<= terminal (true (at ?who 3)))", "(<= terminal (true (at white 3)))").replace("(<= (legal ?who wait) (role ?who))", "(<= (legal white wait) (role white))"))
    found = await editor.diagnostics(lambda found: any("no legal move" in d.message for d in found))
    blocked = next(d for d in found if "no legal move" in d.message)
    assert editor.source(blocked.range) == "legal"


async def test_hover(editor):
    editor.open(GAME)
    assert "fluent `at`, 2 arguments" in await hover(editor, editor.at("at white"))
    assert "1 … 3" in await hover(editor, editor.at("at white"))
    assert "Where a runner stands" in await hover(editor, editor.at("at ?who ?at"))
    assert "static relation `succ`" in await hover(editor, editor.at("succ 2"))
    assert "(legal ROLE MOVE)" in await hover(editor, editor.at("legal"))
    assert "role `white`" in await hover(editor, editor.at("white 1"))
    assert await hover(editor, editor.at(";;; A")) is None


async def test_a_torn_text_is_still_understood(editor):
    torn = GAME.replace("(true (at ?who ?from))", "(true (at ?who ?from)").replace("(role black)", "(role black")
    editor.open(torn)
    found = await editor.diagnostics()
    assert {d.code for d in found} == {"unclosed-parenthesis"}
    assert "fluent `at`" in await hover(editor, editor.at("at white"))
    symbols = await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    assert len(symbols) >= 5


async def test_definition_and_references(editor):
    editor.open(GAME)
    found = await editor.client.text_document_definition_async(types.DefinitionParams(**here(editor, editor.at("at ?who 3"))))
    assert [place.range.start.line for place in found] == [9, 10, 11, 12]
    params = {**here(editor, editor.at("succ ?from")), "context": types.ReferenceContext(include_declaration=False)}
    found = await editor.client.text_document_references_async(types.ReferenceParams(**params))
    assert [editor.source(place.range) for place in found] == ["succ"]
    params["context"] = types.ReferenceContext(include_declaration=True)
    assert len(await editor.client.text_document_references_async(types.ReferenceParams(**params))) == 3


async def test_completion(editor):
    editor.open(GAME + "(<= (p ?a) (true (at ?a |")
    assert await labels(editor) == ["?a", "1", "2", "3"]
    editor.open(GAME + "(<= (p ?a) (true (|")
    assert await labels(editor) == ["at"]
    editor.open(GAME + "(<= (p ?a) (does wh|")
    assert await labels(editor) == ["white"]
    editor.open(GAME + "(<= (p ?a) su|")
    found = await editor.client.text_document_completion_async(types.CompletionParams(**here(editor, editor.cursor)))
    assert [item.label for item in found.items] == ["succ"]
    assert "succ" in found.items[0].text_edit.new_text
    editor.open("; é𝄞 (|")
    assert await labels(editor) == []


async def test_rename(editor):
    editor.open(GAME)

    async def rename(position, new):
        params = types.RenameParams(**here(editor, position), new_name=new)
        edit = await editor.client.text_document_rename_async(params)
        return editor.applied(edit.changes[editor.URI])

    assert await rename(editor.at("?to"), "?where") == GAME.replace("(at ?who ?to)", "(at ?who ?where)").replace(
        "(run ?to)))", "(run ?where)))", 1
    )
    assert await rename(editor.at("white"), "red") == GAME.replace("white", "red")
    assert await rename(editor.at("succ"), "after") == GAME.replace("(succ", "(after")
    for position, new in [
        (editor.at("?to"), "?who"),
        (editor.at("?to"), "to"),
        (editor.at("succ"), "legal"),
        (editor.at("legal"), "may"),
        (editor.at("100"), "99"),
        (editor.at("succ"), "a b"),
    ]:
        with pytest.raises(JsonRpcException):
            await rename(position, new)
    prepared = await editor.client.text_document_prepare_rename_async(
        types.PrepareRenameParams(**here(editor, editor.at("run ?to")))
    )
    assert prepared.placeholder == "run"


async def test_symbols(editor):
    editor.open(GAME)
    found = await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    names = [symbol.name for symbol in found]
    assert names[:2] == ["role white", "role black"]
    assert [name for name in names if name.startswith(("The", "Moves"))] == ["The state: é𝄞", "Moves", "The end"]
    if isinstance(found[0], types.DocumentSymbol):
        state = next(symbol for symbol in found if symbol.name.startswith("The state"))
        assert [member.name for member in state.children] == ["init at", "next at"]


async def test_semantic_tokens(editor):
    editor.open(GAME)
    legend = editor.capabilities.semantic_tokens_provider.legend
    found = await editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(editor.document))
    line = character = 0
    seen = set()
    for i in range(0, len(found.data), 5):
        lines, characters, length, kind, modifiers = found.data[i : i + 5]
        line, character = line + lines, characters + (character if lines == 0 else 0)
        start, end = types.Position(line, character), types.Position(line, character + length)
        marks = [name for bit, name in enumerate(legend.token_modifiers) if modifiers >> bit & 1]
        seen.add((editor.source(types.Range(start, end)), legend.token_types[kind], *marks))
    for wanted in [
        ("legal", "keyword"),
        ("white", "class"),
        ("at", "property"),
        ("run", "event"),
        ("succ", "function", "static"),
        ("succ", "function", "definition", "static"),
        ("?who", "variable"),
        ("100", "number"),
        (";;; ---- The state: é𝄞 ----", "comment"),
    ]:
        assert wanted in seen


async def test_folding(editor):
    editor.open(GAME)
    found = await editor.client.text_document_folding_range_async(types.FoldingRangeParams(editor.document))
    ranges = {(fold.start_line, fold.end_line) for fold in found}
    assert (16, 18) in ranges, "a rule"
    assert (0, 1) in ranges, "the comment at the top"
    assert (14, 21) in ranges, "a section"


async def test_formatting(editor):
    editor.open("; é𝄞\n(role   white)\n(<= terminal\n(true   (at 1)))\n")
    params = types.DocumentFormattingParams(editor.document, types.FormattingOptions(4, True))
    edits = await editor.client.text_document_formatting_async(params)
    assert editor.applied(edits) == "; é𝄞\n(role white)\n(<= terminal\n    (true (at 1)))\n"
    editor.open("(role")
    with pytest.raises(JsonRpcException):
        await editor.client.text_document_formatting_async(params)


async def test_quick_fix(editor):
    editor.open(GAME.replace("(succ ?from ?to))", "(succ ?from ?to)"))
    found = await editor.diagnostics(lambda found: [d.code for d in found] == ["unclosed-parenthesis"])
    params = types.CodeActionParams(editor.document, found[0].range, types.CodeActionContext(found))
    actions = await editor.client.text_document_code_action_async(params)
    assert [action.kind for action in actions] == ["quickfix"]
    assert actions[0].diagnostics[0].code == "unclosed-parenthesis"
    mended = editor.applied(actions[0].edit.changes[editor.URI])
    editor.open(mended)
    assert await editor.diagnostics() == []
    params.context.only = ["source.organizeImports"]
    assert not await editor.client.text_document_code_action_async(params)


async def test_lenses_and_their_commands(editor):
    editor.open(GAME)
    lenses = []
    for _ in range(300):
        lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document))
        if any("at the start" in lens.command.title for lens in lenses):
            break
        await asyncio.sleep(0.1)
    titles = [lens.command.title for lens in lenses]
    assert titles[0] == "play"
    assert "4 moves at the start" in titles
    assert "explain" in titles

    async def run(title):
        command = next(lens.command for lens in lenses if lens.command.title == title)
        return await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command.command, command.arguments)
        )

    assert "white: 2 legal: (run 2) wait" in await run("4 moves at the start")
    assert "✗ terminal" in await run("explain")
    played = await run("play")
    line = played["line"] if isinstance(played, dict) else played.line
    assert list(line) == ["ggp", "play", "/games/scenario.kif", "--human", "white"]
    with pytest.raises(JsonRpcException):
        await editor.client.workspace_execute_command_async(types.ExecuteCommandParams("ggp.explain", [editor.URI, "(p"]))
    with pytest.raises(JsonRpcException):
        await editor.client.workspace_execute_command_async(types.ExecuteCommandParams("rm", ["-rf"]))


async def test_playouts_on_demand_tell_of_rules_that_never_fire(editor):
    editor.open(GAME + "(<= (legal white rest) (true (at white 1)) (true (at white 3)))\n")
    assert await editor.diagnostics() == []
    found = await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("ggp.simulate", [editor.URI])
    )
    assert found.startswith("100 random playouts\n")
    assert "1 rule never fired" in found
    assert "line 29: (legal white rest) fails at (true (at white 3)), line 29" in found
    shown = await editor.diagnostics(lambda found: [d.code for d in found] == ["never-fired"])
    assert editor.source(shown[0].range) == "(legal white rest)"
    editor.change("(role black)", "(role black) ; one of two")
    assert await editor.diagnostics() == []


async def test_domains_in_the_text(editor):
    editor.open(GAME)
    whole = types.Range(types.Position(0, 0), editor.position(len(GAME)))
    hints = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(editor.document, whole))
    shown = {(editor.text[editor.offset(hint.position) - 5 : editor.offset(hint.position)], hint.label) for hint in hints}
    assert ("?from", "∈ 1, 2") in shown


async def test_edits_of_many_kinds(editor):
    editor.open("(role a)")
    for old, new in [("a", "é𝄞"), ("é𝄞", "é𝄞\r\n"), ("(role", "; 𝄞\n(role"), (")", "))"), ("))", ")")]:
        editor.change(old, new)
    params = types.DocumentFormattingParams(editor.document, types.FormattingOptions(4, True))
    edits = await editor.client.text_document_formatting_async(params)
    assert editor.applied(edits) == "; 𝄞\n(role é𝄞)\n"


async def test_closing_clears_the_findings(editor):
    editor.open("(role")
    assert await editor.diagnostics()
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(editor.document))
    for _ in range(500):
        if not editor.client.diagnostics.get(editor.URI):
            break
        await asyncio.sleep(0.02)
    assert not editor.client.diagnostics[editor.URI]
    with pytest.raises(JsonRpcException):
        await hover(editor, types.Position(0, 1))


async def test_positions_outside_of_the_text(editor):
    editor.open(GAME)
    for line, character in [(2**31 - 1, 0), (0, 2**31 - 1), (2**31 - 1, 2**31 - 1)]:
        await hover(editor, types.Position(line, character))
        params = types.CompletionParams(**here(editor, types.Position(line, character)))
        assert await editor.client.text_document_completion_async(params)
