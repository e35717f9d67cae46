import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { CommandError } from '../session/errors.js';
import { csvLine } from '../reports/csv.js';

const maxShown = 20;

/** The differences that a comparison finds: all of them in a CSV file, the first ones in memory. */
export class DifferenceFile<D extends object & { readonly kind: string }> {
  readonly shown: D[] = [];
  private readonly counts = new Map<string, number>();

  private constructor(
    readonly path: string,
    private readonly columns: readonly (keyof D & string)[],
    private readonly output: WriteStream,
  ) {}

  /** @throws CommandError if the file cannot be written */
  static async open<D extends object & { readonly kind: string }>(
    path: string,
    columns: readonly (keyof D & string)[],
  ): Promise<DifferenceFile<D>> {
    await removeEarlier(path);
    const output = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await once(output, 'open').catch((cause: unknown) => {
      throw new CommandError(`${path} cannot be written.`, { cause });
    });
    // Without a listener, a write that fails ends the process. `finished` reports it.
    output.on('error', () => undefined);
    const file = new DifferenceFile(path, columns, output);
    await file.write(columns);
    return file;
  }

  async add(differences: readonly D[]): Promise<void> {
    for (const difference of differences) {
      this.counts.set(difference.kind, this.count(difference.kind) + 1);
      if (this.shown.length < maxShown) this.shown.push(difference);
      await this.write(this.columns.map((name) => String(difference[name])));
    }
  }

  count(kind: string): number {
    return this.counts.get(kind) ?? 0;
  }

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  /** Closes the file after `work`, also if that fails. */
  async during<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      this.output.end();
      await finished(this.output);
    }
  }

  private async write(cells: readonly string[]): Promise<void> {
    if (!this.output.write(csvLine(cells))) await once(this.output, 'drain');
  }
}

/** A file of an earlier run may be readable for others, so it is not written to. Links and devices are left and refused. */
async function removeEarlier(path: string): Promise<void> {
  const earlier = await lstat(path).catch(() => undefined);
  if (earlier?.isFile()) await rm(path, { force: true });
}
