import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Canaries } from './canaries.js';

export interface FoundText {
  readonly text: string;
  readonly file: string;
}

/** The files below a folder that contain a canary. Files that vanish meanwhile are skipped. */
export async function findText(folder: string, canaries: Canaries): Promise<FoundText[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: FoundText[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    found.push(...canaries.in(content).map((text) => ({ text, file })));
  }
  return found;
}
