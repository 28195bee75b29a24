//! [`Knowledge`]: a file of lessons.
//!
//! Invariants: a file is written whole under another name and then renamed, so that it is never torn. A file that is
//! damaged, foreign or of a newer version is refused and never overwritten.

use super::lesson::{Lesson, LessonOfVersion1, LessonOfVersion2};
use ggp_game::{AnonymousRules, Format, FormatError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The format of files of lessons. A file begins with a line of its name and version.
pub const KNOWLEDGE: Format = Format::new("ggp knowledge", 3);
/// The largest size of a file, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The lessons of several games.
///
/// # Examples
/// ```
/// use ggp_game::AnonymousRules;
/// use ggp_search::Knowledge;
/// # let folder = tempfile::tempdir().unwrap();
/// # let file = folder.path().join("games.knowledge");
/// let knowledge = Knowledge::read(&file).unwrap();
/// let rules = AnonymousRules::new(&ggp_gdl::parse(b"(role you)").unwrap());
/// assert!(knowledge.lesson(&rules).is_none(), "a file that does not exist knows nothing");
/// knowledge.write(&file).unwrap();
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Knowledge {
    /// The lessons with the keys of their games; the one that was learnt last is the last.
    lessons: Vec<([u8; 32], Lesson)>,
}

/// A file of an earlier version, whose lessons are of the type `L`.
#[derive(Deserialize)]
struct Earlier<L> {
    lessons: Vec<([u8; 32], L)>,
}

impl<L: DeserializeOwned> Earlier<L> {
    /// The content of a file with this `body`.
    fn read(body: &[u8], converted: fn(L) -> Lesson) -> postcard::Result<Knowledge> {
        let earlier: Earlier<L> = postcard::from_bytes(body)?;
        let lessons = earlier.lessons.into_iter().map(|(key, lesson)| (key, converted(lesson)));
        Ok(Knowledge { lessons: lessons.collect() })
    }
}

/// The reason why a file of lessons cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not one of lessons.
    #[error("{} holds no knowledge of games: name a file that `ggp learn` has written, or a new one", .0.display())]
    Foreign(PathBuf),
    /// The file has a version that this program does not know.
    #[error("{}: {why}, or name a new file", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// The versions.
        why: FormatError,
    },
    /// The file is incomplete or was changed.
    #[error("{} is damaged: remove it, and learn again", .0.display())]
    Damaged(PathBuf),
}

impl Knowledge {
    /// The content of `file`; no lessons if it does not exist.
    ///
    /// # Errors
    /// When the file cannot be read, is not one of lessons, is damaged, or has a newer version.
    pub fn read(file: &Path) -> Result<Knowledge, KnowledgeError> {
        let failed = |source| KnowledgeError::Read { file: file.to_owned(), source };
        let mut bytes = Vec::new();
        match File::open(file) {
            Ok(opened) => {
                opened.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Knowledge::default()),
            Err(error) => return Err(failed(error)),
        }
        let foreign = || KnowledgeError::Foreign(file.to_owned());
        let name = bytes.strip_prefix(KNOWLEDGE.name.as_bytes());
        let rest = name.and_then(|rest| rest.strip_prefix(b" ")).ok_or_else(foreign)?;
        let end = rest.iter().take(12).position(|&byte| byte == b'\n').ok_or_else(foreign)?;
        let version = std::str::from_utf8(&rest[..end]).ok().and_then(|text| text.parse().ok());
        let version = version.ok_or_else(foreign)?;
        KNOWLEDGE
            .check_version(version)
            .map_err(|why| KnowledgeError::Format { file: file.to_owned(), why })?;
        let damaged = || KnowledgeError::Damaged(file.to_owned());
        let (sum, body) = rest[end + 1..].split_first_chunk::<32>().ok_or_else(damaged)?;
        if Sha256::digest(body).as_slice() != sum {
            return Err(damaged());
        }
        let knowledge = match version {
            1 => Earlier::read(body, LessonOfVersion1::converted),
            2 => Earlier::read(body, LessonOfVersion2::converted),
            _ => postcard::from_bytes::<Knowledge>(body),
        };
        let knowledge = knowledge.map_err(|_| damaged())?;
        if knowledge.lessons.iter().all(|(_, lesson)| lesson.is_sound()) {
            Ok(knowledge)
        } else {
            Err(damaged())
        }
    }

    /// Replaces `file` by these lessons. A file that cannot be written whole keeps its old content.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), KnowledgeError> {
        let write = || -> io::Result<()> {
            let body = postcard::to_allocvec(self).map_err(io::Error::other)?;
            let mut new = temporary(file)?;
            writeln!(new, "{} {}", KNOWLEDGE.name, KNOWLEDGE.version)?;
            new.write_all(&Sha256::digest(&body))?;
            new.write_all(&body)?;
            new.as_file().sync_all()?;
            new.persist(file)?;
            Ok(())
        };
        write().map_err(|source| KnowledgeError::Write { file: file.to_owned(), source })
    }

    /// Finds out before the work whether [`Knowledge::write`] could write `file`: whether its folder takes a new file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn check_write(file: &Path) -> Result<(), KnowledgeError> {
        let tried = temporary(file).map(drop);
        tried.map_err(|source| KnowledgeError::Write { file: file.to_owned(), source })
    }

    /// Reads `file`, puts `lesson` in the place of what it says of the game, and writes it. The lessons that were learnt
    /// longest ago make room if the file becomes too large.
    ///
    /// # Errors
    /// Those of [`Knowledge::read`] and [`Knowledge::write`].
    pub fn add_to(file: &Path, rules: &AnonymousRules, lesson: Lesson) -> Result<(), KnowledgeError> {
        let mut knowledge = Knowledge::read(file)?;
        knowledge.insert(rules, lesson, MOST_BYTES as usize / 2);
        knowledge.write(file)
    }

    /// What was learnt of the game with `rules`.
    pub fn lesson(&self, rules: &AnonymousRules) -> Option<&Lesson> {
        let key = key(rules);
        self.lessons.iter().find(|(of, _)| *of == key).map(|(_, lesson)| lesson)
    }

    fn insert(&mut self, rules: &AnonymousRules, lesson: Lesson, most_bytes: usize) {
        let key = key(rules);
        self.lessons.retain(|(of, _)| *of != key);
        self.lessons.push((key, lesson));
        let mut left = most_bytes;
        let kept = self.lessons.iter().rev().take_while(|(_, lesson)| {
            let fits = lesson.bytes() <= left;
            left = left.saturating_sub(lesson.bytes());
            fits
        });
        let dropped = self.lessons.len() - kept.count();
        self.lessons.drain(..dropped);
    }
}

/// A new file beside `file`. It is removed unless it takes the place of `file`.
fn temporary(file: &Path) -> io::Result<NamedTempFile> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

/// The key of the game with `rules`.
fn key(rules: &AnonymousRules) -> [u8; 32] {
    Sha256::digest(rules.text()).into()
}

#[cfg(test)]
mod tests {
    use super::{Knowledge, KnowledgeError};
    use crate::learn::{Generation, Lesson, Trial};
    use crate::policy::{Features, Policy};
    use ggp_game::{AnonymousRules, Fact};
    use serde::Serialize;
    use sha2::{Digest, Sha256};
    use std::fs;
    use std::path::Path;

    fn rules(text: &str) -> AnonymousRules {
        AnonymousRules::new(&ggp_gdl::parse(text.as_bytes()).unwrap())
    }

    fn lesson(rules: &AnonymousRules, weight: f32) -> Lesson {
        let mut policy = Policy::new(Features::new(vec![vec![]]).into(), 2);
        policy.weights = vec![weight, -weight];
        Lesson::new(&policy, (&[Generation::default()], None, None), rules, &[Fact::new("a").unwrap()])
    }

    #[test]
    fn lessons_come_back_from_the_file_and_a_bad_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games");
        let (one, two) = (rules("(init a)"), rules("(init a) (init b)"));
        Knowledge::add_to(&file, &one, lesson(&one, 0.25)).unwrap();
        Knowledge::add_to(&file, &two, lesson(&two, 0.5)).unwrap();
        Knowledge::add_to(&file, &one, lesson(&one, 0.75)).unwrap();
        let knowledge = Knowledge::read(&file).unwrap();
        assert_eq!(knowledge.lesson(&one), Some(&lesson(&one, 0.75)));
        assert_eq!(knowledge.lesson(&two), Some(&lesson(&two, 0.5)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");

        let good = fs::read(&file).unwrap();
        let torn = &good[..good.len() - 7];
        let mut changed = good.clone();
        *changed.last_mut().unwrap() ^= 1;
        let newer = [b"ggp knowledge 7\n".as_slice(), &good[16..]].concat();
        let cases: [(&[u8], &str); 5] = [
            (torn, "is damaged: remove it, and learn again"),
            (&changed, "is damaged"),
            (&newer, "games: version 7 of the format `ggp knowledge` is unknown to ggp "),
            (b"(role you)\n", "holds no knowledge of games"),
            (b"", "holds no knowledge of games"),
        ];
        for (bytes, wanted) in cases {
            fs::write(&file, bytes).unwrap();
            let said = Knowledge::add_to(&file, &one, lesson(&one, 1.0)).unwrap_err().to_string();
            assert!(said.contains(wanted), "{said}");
            assert_eq!(fs::read(&file).unwrap(), bytes, "a bad file is not overwritten");
        }
        let nowhere = folder.path().join("none/games");
        let failed = Knowledge::add_to(&nowhere, &one, lesson(&one, 1.0));
        assert!(matches!(failed, Err(KnowledgeError::Write { .. })));
        // The check tells before the work that a file cannot be written, and leaves nothing behind.
        assert!(matches!(Knowledge::check_write(&nowhere), Err(KnowledgeError::Write { .. })));
        Knowledge::check_write(&folder.path().join("new")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn weights_of_version_1_become_standard_deviations() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games");
        let one = rules("(init a)");
        let generations = [Generation { scale: 1.0, ..Generation::default() }];
        let trial = Some(Trial { matches: 8, share: 0.5 });
        let (fluents, contexts) = (vec![one.anonymous("a")], vec![Vec::<u32>::new()]);
        let (weights, squares) = (vec![0.25f32, -0.5], vec![0.01f32, 0.0]);
        let old = (fluents, contexts, weights, squares, 0.5f32, generations.to_vec(), trial);
        write_version(1, &file, &one, old);
        let knowledge = Knowledge::read(&file).unwrap();
        let read = knowledge.lesson(&one).expect("the lesson");
        assert_eq!((read.generations(), read.trial()), (&generations[..], trial));
        let weights: Vec<f32> = read.features(&one, 2).iter().map(|one| one.weight).collect();
        assert_eq!(weights, [-5.0, 2.5]);
    }

    #[test]
    fn a_lesson_of_version_2_knows_nothing_of_minimax_values() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games");
        let one = rules("(init a)");
        let new = lesson(&one, 0.25);
        let (fluents, contexts) = (vec![one.anonymous("a")], vec![Vec::<u32>::new()]);
        let (weights, squares) = (vec![0.25f32, -0.25], vec![0.0f32, 0.0]);
        let old = (fluents, contexts, weights, squares, [Generation::default()].to_vec(), None::<Trial>);
        write_version(2, &file, &one, old);
        let knowledge = Knowledge::read(&file).unwrap();
        assert_eq!(knowledge.lesson(&one), Some(&new));
        assert_eq!((new.minimax_trial(), new.uses_minimax()), (None, false));
    }

    /// Writes a file of an earlier version with one lesson, of the game with `rules`.
    fn write_version(version: u32, file: &Path, rules: &AnonymousRules, lesson: impl Serialize) {
        let body = postcard::to_allocvec(&vec![(super::key(rules), lesson)]).unwrap();
        let head = format!("ggp knowledge {version}\n");
        fs::write(file, [head.as_bytes(), &Sha256::digest(&body), &body].concat()).unwrap();
    }

    #[test]
    fn the_lessons_learnt_longest_ago_make_room() {
        let all: Vec<AnonymousRules> = (0..4).map(|number| rules(&format!("(init {number})"))).collect();
        let mut knowledge = Knowledge::default();
        let room = 3 * lesson(&all[0], 1.0).bytes();
        for rules in &all {
            knowledge.insert(rules, lesson(rules, 1.0), room);
        }
        let known: Vec<bool> = all.iter().map(|rules| knowledge.lesson(rules).is_some()).collect();
        assert_eq!(known, [false, true, true, true]);
    }
}
