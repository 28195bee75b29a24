//! The command `ggp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ggp_cli::run(std::env::args_os()).into()
}
