import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The lines that are added to the files of a folder from now on. */
export class NewLines {
  private readonly lines: string[] = [];

  private constructor(
    private readonly folder: string,
    /** Bytes of each file that were read, up to the end of a line. */
    private readonly readBytes: Map<string, number>,
  ) {}

  static async of(folder: string): Promise<NewLines> {
    const lines = new NewLines(folder, new Map());
    await lines.read();
    lines.lines.length = 0;
    return lines;
  }

  async read(): Promise<readonly string[]> {
    for (const name of await readdir(this.folder)) {
      const start = this.readBytes.get(name) ?? 0;
      const added = await bytesFrom(join(this.folder, name), start);
      const end = added.lastIndexOf('\n') + 1;
      this.readBytes.set(name, start + end);
      this.lines.push(...added.toString('utf8', 0, end).split('\n').filter(Boolean));
    }
    return this.lines;
  }
}

async function bytesFrom(path: string, start: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(Math.max(0, size - start)), { position: start });
    return buffer;
  } finally {
    await file.close();
  }
}
