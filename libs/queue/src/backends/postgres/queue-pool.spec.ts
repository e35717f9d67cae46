import { describe, expect, it } from '@jest/globals';
import { openQueuePool } from './queue-pool.js';

describe('openQueuePool', () => {
  it('accepts the listeners of any number of lanes without a leak warning', async () => {
    const pool = openQueuePool('postgresql://localhost/gangan', 1);
    expect(pool.getMaxListeners()).toBe(0);
    await pool.end();
  });
});
