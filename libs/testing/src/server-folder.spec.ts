import { describe, expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { serverFolder } from './server-folder.js';

describe('the folder of test servers', () => {
  it('is on disk if there is no file system in memory', () => {
    expect(serverFolder('/missing', Infinity)).toBe(tmpdir());
  });

  it('is on disk if little memory is free', () => {
    expect(serverFolder(process.cwd(), 2 ** 30)).toBe(tmpdir());
  });
});
