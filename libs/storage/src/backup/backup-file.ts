import { createHash } from 'node:crypto';
import { type BackupAccess, readContent } from './backup-container.js';
import { BackupError, damaged } from './backup-error.js';

/**
 * The content of a backup is text. Its first line is the manifest. Each table follows with its name in a line, its rows
 * in the text format of COPY, and `\.` in a line. The last line has the number of rows of each table and the SHA-256 of
 * everything before it. Lines that are not rows are JSON.
 */
export const fileFormat = 'gangan-backup-1';

/** The line after the rows of a table. COPY writes a backslash in a row as two. */
export const endOfRows = '\\.\n';

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface BackupManifest {
  readonly format: string;
  readonly createdAt: string;
  /** The version of the Postgres server. */
  readonly serverVersion: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: readonly BackupTable[];
  /** The next value of each sequence is greater. */
  readonly sequences: Readonly<Record<string, string>>;
  /** The ids of the keys that sealed the stored values, in hex. */
  readonly dataKeyIds: readonly string[];
}

export type RowCounts = Readonly<Record<string, number>>;

export interface BackupEnd {
  readonly rows: RowCounts;
  readonly sha256: string;
}

export interface Backup {
  readonly manifest: BackupManifest;
  readonly rows: RowCounts;
  /** The checksum of the content. */
  readonly sha256: string;
  /** Whether the backup was sealed with a key of BACKUP_KEY. */
  readonly isAuthenticated: boolean;
}

/** What is done with each table; without it the file is only checked. */
export interface BackupVisitor {
  readonly onManifest?: (manifest: BackupManifest) => Promise<void>;
  /** Called for each table; it must read all rows. */
  readonly onTable?: (table: BackupTable, rows: AsyncIterable<Buffer>) => Promise<void>;
  readonly onRows?: (count: number) => void;
}

/** Reads a whole backup. @throws BackupError if it was changed or cut off, cannot be opened, or is no backup */
export const readBackup = (
  path: string,
  access: BackupAccess,
  visitor: BackupVisitor = {},
): Promise<Backup> =>
  readContent(path, access, async (chunks, isAuthenticated) => ({
    ...(await visit(new BackupReader(chunks), visitor)),
    isAuthenticated,
  }));

async function visit(
  reader: BackupReader,
  { onManifest, onTable, onRows }: BackupVisitor,
): Promise<Omit<Backup, 'isAuthenticated'>> {
  const manifest = await reader.json<BackupManifest>();
  if (manifest.format !== fileFormat)
    throw new BackupError(`The format of the backup is not ${fileFormat}: use the version that made it.`);
  await onManifest?.(manifest);
  const rows: Record<string, number> = {};
  for (const table of manifest.tables) {
    const { table: name } = await reader.json<{ table: string }>();
    if (name !== table.name) throw damaged(`the table ${table.name} is missing`);
    const chunks = counted(reader.rows(), (count) => {
      rows[name] = (rows[name] ?? 0) + count;
      onRows?.(count);
    });
    rows[name] = 0;
    if (onTable) await onTable(table, chunks);
    else for await (const chunk of chunks) void chunk;
  }
  const sha256 = reader.digest();
  const end = await reader.json<BackupEnd>();
  if (end.sha256 !== sha256) throw damaged('its checksum is wrong');
  if (manifest.tables.some(({ name }) => end.rows[name] !== rows[name])) throw damaged('rows are missing');
  await reader.expectEnd();
  return { manifest, rows, sha256 };
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onRows: (count: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRows(countRows(chunk));
    yield chunk;
  }
}

const lineFeed = 10;

/** A row is a line: COPY writes a line feed in a value as `\n`. */
export function countRows(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

class BackupReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly hash = createHash('sha256');
  private pending: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  async json<T>(): Promise<T> {
    while (!this.pending.includes(lineFeed)) await this.readMore();
    const text = this.take(this.pending.indexOf(lineFeed) + 1).toString();
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw damaged('a line cannot be read', cause);
    }
  }

  /** Yields whole rows, until the end of the table. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.endOfTable();
      if (end !== undefined) {
        if (end > 0) yield this.take(end);
        this.take(endOfRows.length);
        return;
      }
      const complete = this.pending.lastIndexOf(lineFeed) + 1;
      if (complete > 0) yield this.take(complete);
      await this.readMore();
    }
  }

  /** Returns the checksum of everything that was taken so far. */
  digest(): string {
    return this.hash.copy().digest('hex');
  }

  /** Reads the rest, so that the end of the file is verified. */
  async expectEnd(): Promise<void> {
    while (this.pending.length === 0) {
      const next = await this.chunks.next();
      if (next.done) return;
      this.pending = next.value;
    }
    throw damaged('something follows its end');
  }

  /** Returns where the rows of the table end in `pending`, which begins at a line. */
  private endOfTable(): number | undefined {
    if (this.pending.subarray(0, endOfRows.length).toString() === endOfRows) return 0;
    const found = this.pending.indexOf(`\n${endOfRows}`);
    return found === -1 ? undefined : found + 1;
  }

  private take(length: number): Buffer {
    const taken = this.pending.subarray(0, length);
    this.pending = this.pending.subarray(length);
    this.hash.update(taken);
    return taken;
  }

  private async readMore(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done) throw damaged('it ends too early');
    this.pending = this.pending.length > 0 ? Buffer.concat([this.pending, next.value]) : next.value;
  }
}
