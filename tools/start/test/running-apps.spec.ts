import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { endOrphans, recordRunningApps } from '../src/apps/running-apps.js';
import { tempFolder } from './temp-folder.js';

const script = fileURLToPath(new URL('./fake/app.mjs', import.meta.url));

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const startFake = async (behaviour: string): Promise<{ pid: number; ended: Promise<unknown> }> => {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, FAKE: behaviour },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  started.push(child);
  const ended = once(child, 'exit');
  await once(child, 'message');
  return { pid: child.pid ?? 0, ended };
};

describe('a process that an earlier start left running', () => {
  const path = tempFolder();

  it('is ended, with SIGTERM if possible', async () => {
    const file = path('orphans.json');
    const [willing, stubborn] = await Promise.all([startFake('willing'), startFake('stubborn')]);
    recordRunningApps(file, {
      willing: { pid: willing.pid, script },
      stubborn: { pid: stubborn.pid, script },
    });
    expect(await endOrphans(file, 500)).toEqual(['willing', 'stubborn']);
    expect(await willing.ended).toEqual([0, null]);
    expect(await stubborn.ended).toEqual([null, 'SIGKILL']);
    expect(existsSync(file)).toBe(false);
  });

  it('is not confused with another process of the same id', async () => {
    const file = path('strangers.json');
    const stranger = spawn('sleep', ['60']);
    started.push(stranger);
    recordRunningApps(file, { lookup: { pid: stranger.pid ?? 0, script } });
    expect(await endOrphans(file)).toEqual([]);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });

  it('is not found if the file is missing or damaged', async () => {
    expect(await endOrphans(path('missing.json'))).toEqual([]);
    await writeFile(path('damaged.json'), '{"look');
    expect(await endOrphans(path('damaged.json'))).toEqual([]);
  });
});
