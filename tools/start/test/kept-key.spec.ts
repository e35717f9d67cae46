import { describe, expect, it } from '@jest/globals';
import { stat, writeFile } from 'node:fs/promises';
import {
  backupKeyIn,
  dataMasterKeyIn,
  otpPepperIn,
  queueMasterKeyIn,
  readOrCreateKey,
} from '../src/data/kept-keys.js';
import { tempFolder } from './temp-folder.js';

describe.each([
  ['master key of the queues', queueMasterKeyIn],
  ['master key of the stored secrets', dataMasterKeyIn],
  ['pepper of the OTPs', otpPepperIn],
  ['key of the backups', backupKeyIn],
])('the %s', (name, keptIn) => {
  const path = tempFolder();
  const said: string[] = [];
  const kept = (file: string): Promise<string> =>
    readOrCreateKey({ ...keptIn(''), file: path(file) }, (words) => said.push(words));

  it('is created once and kept private', async () => {
    const key = await kept('key');
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(await kept('key')).toBe(key);
    expect((await stat(path('key'))).mode & 0o777).toBe(0o600);
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(`^A new ${name} was created in .*key\\. If another one was used before, .*\\.$`),
      ),
    ]);
  });

  it('is created again after an interrupted first start, but never replaces a damaged one', async () => {
    await writeFile(path('empty'), '');
    expect(Buffer.from(await kept('empty'), 'base64')).toHaveLength(32);
    await writeFile(path('damaged'), 'c2hvcnQ=\n');
    await expect(kept('damaged')).rejects.toThrow(
      new RegExp(`The ${name} in .* is damaged.*delete the file`),
    );
  });
});
