import { describe, expect, it } from '@jest/globals';
import { stat, writeFile } from 'node:fs/promises';
import { keptQueueKey } from '../src/queue-key.js';
import { tempFolder } from './temp-folder.js';

describe('the key of the queues', () => {
  const path = tempFolder();

  it('is made once and kept private', async () => {
    const key = await keptQueueKey(path('key'));
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(await keptQueueKey(path('key'))).toBe(key);
    expect((await stat(path('key'))).mode & 0o777).toBe(0o600);
  });

  it('is made anew when the first start was cut short, but never in place of a damaged one', async () => {
    await writeFile(path('empty'), '');
    expect(Buffer.from(await keptQueueKey(path('empty')), 'base64')).toHaveLength(32);
    await writeFile(path('damaged'), 'c2hvcnQ=\n');
    await expect(keptQueueKey(path('damaged'))).rejects.toThrow(/damaged.*delete the file/);
  });
});
