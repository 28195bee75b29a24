-- Runs in headless Neovim: opens a rulesheet with the settings of the guide, and asks for what an editor shows.
-- The environment names the settings (GGP_SETTINGS), the rulesheet (GGP_FILE) and the file for the result (GGP_RESULT).

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

local function report(lines)
  local file = assert(io.open(os.getenv("GGP_RESULT"), "w"))
  file:write(table.concat(lines, "\n") .. "\n")
  file:close()
end

local lines = {}
local function say(text)
  table.insert(lines, text)
end

local function main()
  assert((loadstring or load)(read(os.getenv("GGP_SETTINGS"))))()
  vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("GGP_FILE")))
  local buffer = vim.api.nvim_get_current_buf()

  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
    for _, answer in pairs(answers or {}) do
      if answer.err then
        return nil, answer.err.message
      end
      return answer.result
    end
    return nil, "no answer"
  end
  local function place(line, character)
    local document = { uri = vim.uri_from_bufnr(buffer) }
    return { textDocument = document, position = { line = line, character = character } }
  end

  assert(vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) > 0
  end, 50), "no diagnostics")
  local found = vim.diagnostic.get(buffer)[1]
  say("diagnostic " .. found.lnum .. " " .. found.message:gsub("\n.*", ""))
  say("hover " .. ask("textDocument/hover", place(0, 7)).contents.value)
  local range = { start = { line = found.lnum, character = found.col }, ["end"] = { line = found.lnum, character = found.col } }
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local actions = ask("textDocument/codeAction", { textDocument = document, range = range, context = { diagnostics = {} } })
  say("fix " .. actions[1].title)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  assert(vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) == 0
  end, 50), "still diagnostics")
  say("fixed")
  local labels = {}
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "(<= (p ?a) (true (at ?a " })
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  local items = ask("textDocument/completion", place(last, 24))
  for _, item in ipairs(items.items) do
    table.insert(labels, item.label)
  end
  say("completion " .. table.concat(labels, " "))
  vim.api.nvim_buf_set_lines(buffer, last, last + 1, false, {})
  say("definition " .. ask("textDocument/definition", place(3, 24))[1].range.start.line)
  local edit = ask("textDocument/rename", vim.tbl_extend("force", place(0, 7), { newName = "red" }))
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  say("renamed " .. vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1])
  local edits = ask("textDocument/formatting", { textDocument = document, options = { tabSize = 4, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, buffer, "utf-16")
  say("laid out " .. table.concat(vim.api.nvim_buf_get_lines(buffer, 3, 5, false), "|"))
  say("symbols " .. #ask("textDocument/documentSymbol", { textDocument = document }))
end

local ok, why = pcall(main)
if not ok then
  say("error " .. tostring(why))
end
report(lines)
vim.cmd("qall!")
