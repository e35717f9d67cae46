import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BenchEnvironment } from '../src/environment/bench-environment.js';

describe('the bench environment', () => {
  it('rejects a process that reports an invalid configuration', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-environment-'));
    const script = join(folder, 'app.mjs');
    await writeFile(script, `process.send({ type: 'misconfigured', faults: [] }, () => process.exit(78));`);
    try {
      const starting = BenchEnvironment.for(
        'postgres',
        () => undefined,
        (environment) => environment.fork(pathToFileURL(script)),
      );
      await expect(starting).rejects.toThrow('did not start');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
