import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { takeLock } from '../src/data/data-dir.js';
import { tempFolder } from './temp-folder.js';

const url = 'http://localhost:3000';

describe('one start at a time', () => {
  const path = tempFolder();
  const started: ChildProcess[] = [];
  const start = (program: string, ...args: string[]): ChildProcess => {
    const child = spawn(program, args, { stdio: 'ignore' });
    started.push(child);
    return child;
  };
  afterEach(() => {
    for (const child of started.splice(0)) child.kill();
  });

  it('is possible again after a release', async () => {
    const file = path('given-back');
    const giveBack = await takeLock(file, url);
    expect(await readFile(file, 'utf8')).toBe(`${process.pid}\n${url}\n`);
    expect(await readdir(dirname(file))).toEqual(['given-back']);
    await giveBack();
    expect(existsSync(file)).toBe(false);
    await (
      await takeLock(file, url)
    )();
  });

  it('is refused with the running process and how to stop it', async () => {
    const file = path('held');
    const holder = start(process.execPath, '-e', 'setInterval(() => {}, 1000)', 'tools/start');
    await writeFile(file, `${holder.pid ?? ''}\n${url}\n`);
    await expect(takeLock(file, url)).rejects.toThrow(
      `Gangan already runs on this data folder: ${url} (process ${holder.pid ?? ''})`,
    );
  });

  it('takes over a lock whose process id belongs to another process', async () => {
    const file = path('reused');
    const stranger = start(process.execPath, '-e', 'setInterval(() => {}, 1000)');
    await writeFile(file, `${stranger.pid ?? ''}\n${url}\n`);
    await (
      await takeLock(file, url)
    )();
  });

  it.each([
    ['of a process that is gone', '999999999\nhttp://x\n'],
    ['cut short', ''],
  ])('takes over a lock that is %s', async (name, content) => {
    const file = path(name);
    await writeFile(file, content);
    const giveBack = await takeLock(file, url);
    await giveBack();
  });
});
