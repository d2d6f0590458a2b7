//! The journal's files: frames of a length, a checksum and JSON, in numbered segments that only grow.
use super::Entry;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::error;

/// Bytes before each frame's JSON: its length and its CRC-32, little-endian.
pub(super) const HEADER: u64 = 8;
/// For how long a fact that the database refuses is kept aside.
const ASIDE: Duration = Duration::from_secs(30 * 24 * 3600);
/// The longest frame that is believed.
const LONGEST: u32 = 16 * 1024 * 1024;

/// The file of a segment.
pub(super) fn path(folder: &Path, segment: u64) -> PathBuf {
    folder.join(format!("{segment:012}.journal"))
}

/// The segments of a folder, oldest first.
pub(super) fn list(folder: &Path) -> io::Result<Vec<u64>> {
    let mut segments = Vec::new();
    for file in fs::read_dir(folder)? {
        let name = file?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".journal"));
        segments.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    segments.sort_unstable();
    Ok(segments)
}

/// Deletes facts that were set aside longer ago than [`ASIDE`]: somebody had time to look at them.
pub(super) fn forget_aside(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let aside = file.file_name().to_str().is_some_and(|name| name.starts_with("rejected-"));
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|at| at.elapsed().ok());
        if aside && age.is_some_and(|age| age > ASIDE) {
            drop(fs::remove_file(file.path()));
        }
    }
}

/// Appends an entry's frame to `buffer`; nothing of it where it can't be written, or would be too long to be
/// believed: that would hide all that follows it.
pub(super) fn frame(entry: &Entry, buffer: &mut Vec<u8>) -> io::Result<()> {
    let start = buffer.len();
    buffer.extend_from_slice(&[0; HEADER as usize]);
    let written = serde_json::to_writer(&mut *buffer, entry).map_err(io::Error::from);
    let body = start + HEADER as usize;
    let length = written.and_then(|()| {
        let length = u32::try_from(buffer.len() - body).ok().filter(|length| *length <= LONGEST);
        length.ok_or_else(|| io::Error::other("longer than a frame may be"))
    });
    let length = length.inspect_err(|_| buffer.truncate(start))?;
    let sum = crc32fast::hash(&buffer[body..]).to_le_bytes();
    buffer[start..start + 4].copy_from_slice(&length.to_le_bytes());
    buffer[start + 4..body].copy_from_slice(&sum);
    Ok(())
}

/// Reads a segment's entries in order, up to the first frame that isn't there as a whole.
pub(super) struct Reader {
    file: BufReader<File>,
    segment: u64,
    /// Where the next frame begins.
    pub offset: u64,
}

impl Reader {
    /// Opens a segment at a frame's beginning; `None` where there is no such file.
    pub fn open(folder: &Path, segment: u64, offset: u64) -> io::Result<Option<Self>> {
        let file = match File::open(path(folder, segment)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut file = BufReader::with_capacity(64 * 1024, file);
        file.seek(SeekFrom::Start(offset))?;
        Ok(Some(Self { file, segment, offset }))
    }

    /// The next entry; `None` at the end, and where the process ended in the middle of a frame. What went
    /// bad or is of another version is passed over, by name.
    pub fn next(&mut self) -> io::Result<Option<Entry>> {
        while let Some((body, sum)) = self.frame()? {
            if crc32fast::hash(&body) == sum {
                match serde_json::from_slice(&body) {
                    Ok(entry) => {
                        self.offset += HEADER + body.len() as u64;
                        return Ok(Some(entry));
                    }
                    Err(error) => self.count_corrupt(&error.to_string()),
                }
            } else {
                self.count_corrupt("the checksum doesn't hold");
            }
            self.offset += HEADER + body.len() as u64;
        }
        Ok(None)
    }

    /// The next frame's body and checksum.
    fn frame(&mut self) -> io::Result<Option<(Vec<u8>, u32)>> {
        let mut header = [0; HEADER as usize];
        if !filled(&mut self.file, &mut header)? {
            return self.back();
        }
        let [a, b, c, d, e, f, g, h] = header;
        let (length, sum) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        if length > LONGEST {
            self.count_corrupt("its length can't be; the rest of the segment isn't read");
            return self.back();
        }
        if length == 0 {
            return self.back(); // a power cut leaves zeros that nobody wrote
        }
        let mut body = vec![0; length as usize];
        if !filled(&mut self.file, &mut body)? {
            return self.back();
        }
        Ok(Some((body, sum)))
    }

    /// An incomplete frame may still be growing: it is read again next time.
    fn back(&mut self) -> io::Result<Option<(Vec<u8>, u32)>> {
        self.file.seek(SeekFrom::Start(self.offset))?;
        Ok(None)
    }

    fn count_corrupt(&self, why: &str) {
        metrics::counter!("aura_journal_corrupt_total").increment(1);
        error!(segment = self.segment, offset = self.offset, why, "a journal entry can't be read");
    }
}

/// Whether as many bytes were there.
fn filled(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
