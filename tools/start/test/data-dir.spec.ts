import { describe, expect, it } from '@jest/globals';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { openDataDir } from '../src/data/data-dir.js';
import { tempFolder } from './temp-folder.js';

describe('the data folder', () => {
  const path = tempFolder();
  const modeOf = async (file: string): Promise<number> => (await stat(path(file))).mode & 0o777;

  it('is created for its owner alone', async () => {
    await openDataDir(path('new'), false);
    expect([await modeOf('new'), await modeOf('new/logs')]).toEqual([0o700, 0o700]);
  });

  it('is closed to others if an earlier version left it open, with its logs', async () => {
    await mkdir(path('old/logs'), { recursive: true });
    const [folders, files] = [
      ['old', 'old/logs'],
      ['old/logs/gateway.log', 'old/logs/gateway.log.1'],
    ];
    for (const file of files) await writeFile(path(file), '');
    for (const folder of folders) await chmod(path(folder), 0o755);
    for (const file of files) await chmod(path(file), 0o644);
    await openDataDir(path('old'), false);
    expect(await Promise.all(folders.map(modeOf))).toEqual([0o700, 0o700]);
    expect(await Promise.all(files.map(modeOf))).toEqual([0o600, 0o600]);
  });

  it('leaves a folder of all users as it is, and closes what is in it', async () => {
    await mkdir(path('shared'));
    await chmod(path('shared'), 0o1777);
    await openDataDir(path('shared'), false);
    expect([await modeOf('shared'), await modeOf('shared/logs')]).toEqual([0o777, 0o700]);
  });

  it('lets no one but the group of Postgres enter if that is another user', async () => {
    await openDataDir(path('embedded'), true);
    expect([0o700, 0o710]).toContain(await modeOf('embedded'));
    expect(await modeOf('embedded/logs')).toBe(await modeOf('embedded'));
  });
});
