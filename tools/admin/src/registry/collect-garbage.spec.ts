import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { makeCollector } from './collect-garbage.js';

describe('the collector', () => {
  it('frees what nobody needs, at once', async () => {
    const collect = makeCollector();
    const unneeded = new WeakRef({ text: 'x' });
    // What was made in this turn is kept until it ends.
    await soon();
    collect();
    expect(unneeded.deref()).toBeUndefined();
  });
});
