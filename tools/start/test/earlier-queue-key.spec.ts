import { describe, expect, it } from '@jest/globals';
import { newSealingKey } from '@gangan/sealing';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { readEarlierQueueKey } from '../src/data/earlier-queue-key.js';
import { tempFolder } from './temp-folder.js';

const daysLater = (days: number): Date => new Date(Date.now() + days * 24 * 3_600_000);

describe('the queue key of version 0.2', () => {
  const path = tempFolder();
  const said: string[] = [];
  const read = (now?: Date) => readEarlierQueueKey(path(''), (line) => said.push(line), now);

  it('is absent in a new data folder', async () => {
    expect(await read()).toBeUndefined();
  });

  it('is read for two days after the first start, and then deleted', async () => {
    const key = newSealingKey();
    await writeFile(path('queue.key'), `${key}\n`);
    expect(await read(new Date())).toBe(key);
    expect(existsSync(path('queue.key'))).toBe(false);
    expect(await read(daysLater(1.9))).toBe(key);
    expect(said).toEqual([]);
    expect(await read(daysLater(2.1))).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('Deleted the key of version 0.2')]);
    expect(await read()).toBeUndefined();
    expect(existsSync(path('queue-0.2.key'))).toBe(false);
  });
});
