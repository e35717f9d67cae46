import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { transform, version } from '@swc/core';

const swc = JSON.parse(readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;
const cache = fileURLToPath(new URL('../../node_modules/.cache/gangan/swc/', import.meta.url));
const made = mkdir(cache, { recursive: true });

/** Compiles a TypeScript file once for each content, and returns the JavaScript. */
export async function compile(path) {
  const source = await readFile(path, 'utf8');
  const file = cachedFile(path, source);
  return readFile(file, 'utf8').catch(() => compileTo(file, path, source));
}

/** Where the source map of a TypeScript file is that has been compiled. */
export const sourceMapOf = (path) => `${cachedFile(path, readFileSync(path, 'utf8'))}.map`;

const cachedFile = (path, source) => {
  const key = JSON.stringify([version, swc, path, source]);
  return `${cache}${createHash('sha256').update(key).digest('hex')}.js`;
};

async function compileTo(file, path, source) {
  const { code, map } = await transform(source, { ...swc, swcrc: false, filename: path });
  await made;
  await writeWhole(`${file}.map`, map ?? '');
  await writeWhole(file, code);
  return code;
}

/** Another process may write the same file. */
async function writeWhole(file, content) {
  const unfinished = `${file}.${process.pid}.${threadId}`;
  await writeFile(unfinished, content);
  await rename(unfinished, file);
}
