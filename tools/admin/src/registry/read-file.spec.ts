import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { makeCollector } from './read-file.js';

describe('the collector', () => {
  it('frees garbage at once', async () => {
    const collect = makeCollector();
    const unneeded = new WeakRef({ text: 'x' });
    // What was made in this turn is kept until it ends.
    await soon();
    collect();
    expect(unneeded.deref()).toBeUndefined();
  });
});
