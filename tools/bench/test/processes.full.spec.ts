import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Resources } from '../src/processes/resources.js';

let folder: string;
let resources: Resources;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gangan-processes-'));
  resources = new Resources();
});
afterEach(async () => {
  await resources.close();
  await rm(folder, { recursive: true });
});

const fork = async (script: string) => {
  const path = join(folder, 'app.mjs');
  await writeFile(path, script);
  return resources.fork(pathToFileURL(path));
};

describe('the processes of the bench', () => {
  it('reject one that reports an invalid configuration', async () => {
    const starting = fork(`process.send({ type: 'misconfigured', faults: [] }, () => process.exit(78));`);
    await expect(starting).rejects.toThrow('did not start');
  });

  it('reject the question that ends a process', async () => {
    const child = await fork(
      `process.send({ type: 'ready' }); process.on('message', () => process.exit(1));`,
    );
    await expect(child.ask({})).rejects.toThrow('has ended');
  });
});
