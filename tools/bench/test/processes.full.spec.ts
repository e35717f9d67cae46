import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptProcess } from '@gangan/testing';

const root = fileURLToPath(new URL('../../../', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gangan-processes-'));
});
afterEach(() => rm(folder, { recursive: true }));

const start = async (script: string): Promise<ScriptProcess> => {
  const path = join(folder, 'app.mjs');
  await writeFile(path, script);
  return new ScriptProcess(relative(root, path), { env: process.env });
};

describe('the processes of the bench', () => {
  it('reject one that reports an invalid configuration', async () => {
    const child = await start(`process.send({ type: 'misconfigured', faults: [] }, () => process.exit(78));`);
    await expect(child.untilReady()).rejects.toThrow('does not start');
  });

  it('answer with any number', async () => {
    const child = await start(
      `process.send({ type: 'ready', port: 7 }); process.on('message', (question) => process.send({ answer: question }));`,
    );
    await child.untilReady();
    expect(child.port).toBe(7);
    expect(await child.ask([Infinity, NaN, 0.1])).toEqual([Infinity, NaN, 0.1]);
    await child.stop('SIGKILL');
  });

  it('reject the question that ends a process', async () => {
    const child = await start(
      `process.send({ type: 'ready' }); process.on('message', () => process.exit(1));`,
    );
    await child.untilReady();
    await expect(child.ask({})).rejects.toThrow('has ended');
  });
});
