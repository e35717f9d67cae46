import { describe, expect, it } from '@jest/globals';
import { openQueuePool } from './queue-pool.js';

describe('the pool of the queues', () => {
  it('takes the listeners of any number of lanes without a warning of a leak', async () => {
    const pool = openQueuePool('postgresql://localhost/gangan', 1);
    expect(pool.getMaxListeners()).toBe(0);
    await pool.end();
  });
});
