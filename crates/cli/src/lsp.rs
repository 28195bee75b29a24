//! `ggp lsp`: the language server.

use crate::exit::Exit;
use crate::simulate;
use ggp_lsp::End;
use std::sync::Arc;

/// Serve an editor: diagnostics, hover, completion, rename and more
///
/// Speaks the Language Server Protocol on standard input and output. An editor starts it; the guide has the
/// settings for VS Code, Neovim, Helix and Emacs.
///
/// The initialisation options of the client: `strictness` ("lenient", "strict"), `playouts` (a number; 0 for
/// none), `domains` (true shows the domain of each variable in the text), `messages` (false if the editor shows
/// the answers of commands itself), `pages` (the address of the pages about diagnostics) and `pagesExtension`
/// ("html" by default).
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Standard input and output, which is the only way; editors pass this option
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Arguments) -> Exit {
    match ggp_lsp::serve(ggp_lsp::stdio(), Arc::new(simulate::of_draft)) {
        End::Orderly => Exit::Done,
        End::Abrupt => Exit::Findings,
    }
}
