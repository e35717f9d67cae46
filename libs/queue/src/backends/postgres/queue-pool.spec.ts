import { describe, expect, it } from '@jest/globals';
import { QueuePool } from './queue-pool.js';

describe('QueuePool', () => {
  it('accepts the listeners of any number of lanes without a leak warning', async () => {
    const pool = new QueuePool('postgresql://localhost/gangan', 1, () => undefined);
    expect(pool.getMaxListeners()).toBe(0);
    await pool.end();
  });
});
