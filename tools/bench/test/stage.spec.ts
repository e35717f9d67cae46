import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Stage } from '../src/stage/stage.js';

describe('the stage', () => {
  it('does not take for ready who says that it cannot use its configuration', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-stage-'));
    const script = join(folder, 'app.mjs');
    await writeFile(script, `process.send({ type: 'misconfigured', faults: [] }, () => process.exit(78));`);
    try {
      const starting = Stage.for(
        'postgres',
        () => undefined,
        (stage) => stage.fork(pathToFileURL(script)),
      );
      await expect(starting).rejects.toThrow('does not start');
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 60_000);
});
