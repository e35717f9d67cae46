import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readSecretFiles, resolveSecretFiles } from './secret-files.js';

describe('readSecretFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangan-secrets-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const fileWith = (content: string): string => {
    const file = join(folder, String(content.length));
    writeFileSync(file, content);
    return file;
  };
  const read = (environment: NodeJS.ProcessEnv) => readSecretFiles(environment, ['KEY']);

  it.each([
    ['a line', 'secret\n', 'secret'],
    ['a line of Windows', 'secret\r\n', 'secret'],
    ['no line break', 'secret', 'secret'],
    ['several line breaks, of which only the last is removed', ' a\nb\n\n', ' a\nb\n'],
  ])('reads a file with %s', (_, content, value) => {
    expect(read({ KEY_FILE: fileWith(content), OTHER: 'x' })).toEqual({
      environment: { KEY: value, OTHER: 'x' },
      faults: [],
    });
  });

  it('reads only the files of the given names, and treats a blank name as absent', () => {
    const environment = { KEY: 'given', KEY_FILE: ' ', OTHER_FILE: '/missing' };
    expect(read(environment)).toEqual({ environment: { KEY: 'given', OTHER_FILE: '/missing' }, faults: [] });
    expect(read({ KEY: ' ', KEY_FILE: fileWith('secret') }).environment).toEqual({ KEY: 'secret' });
  });

  it.each([
    ['both are set', { KEY: 'a', KEY_FILE: '/run/secrets/key' }, 'and KEY are both set: unset one'],
    ['the file is missing', { KEY_FILE: '/missing/key' }, 'names a file that cannot be read (ENOENT)'],
    ['it is a folder', { KEY_FILE: tmpdir() }, 'names a file that cannot be read (EISDIR)'],
    ['the file is empty', { KEY_FILE: fileWith('\n') }, 'names an empty file'],
  ])('reports that %s', (_, environment, problem) => {
    expect(read(environment).faults).toEqual([{ name: 'KEY_FILE', problem }]);
    expect(() => resolveSecretFiles(environment, ['KEY'])).toThrow(`KEY_FILE ${problem}.`);
  });
});
