import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files below a folder that hold one of these texts, as `text in file`. What vanishes meanwhile holds nothing. */
export async function findText(folder: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    for (const text of texts) if (content.includes(text)) found.push(`${text} in ${file}`);
  }
  return found;
}
