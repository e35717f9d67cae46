import { maxIndividualClicks } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { ClickBuffer } from './click-counter.js';

describe('buffered clicks', () => {
  it('are grouped by link, each with its own id', () => {
    const buffer = new ClickBuffer(10);
    for (const code of ['a', 'b', 'a']) buffer.add(code);
    const [a, b] = buffer.take(10);
    expect([a?.code, a?.more, b?.code, b?.more]).toEqual(['a', 0, 'b', 0]);
    expect(new Set([...(a?.ids ?? []), ...(b?.ids ?? [])]).size).toBe(3);
    expect(buffer.take(10)).toEqual([]);
  });

  it('use bounded memory for a link that is followed a million times', () => {
    const buffer = new ClickBuffer(10);
    for (let click = 0; click < 1_000_000; click += 1) buffer.add('a');
    const [a] = buffer.take(10);
    expect(a?.ids).toHaveLength(maxIndividualClicks);
    expect(a?.more).toBe(1_000_000 - maxIndividualClicks);
  });

  it('are lost beyond the maximum of links, and counted as lost', () => {
    const buffer = new ClickBuffer(2);
    for (const code of ['a', 'b', 'c', 'c', 'a']) buffer.add(code);
    expect([buffer.size, buffer.lost]).toEqual([2, 2]);
  });

  it('are taken in batches, oldest first', () => {
    const buffer = new ClickBuffer(10);
    for (const code of ['a', 'b', 'c']) buffer.add(code);
    expect(buffer.take(2).map(({ code }) => code)).toEqual(['a', 'b']);
    expect(buffer.take(2).map(({ code }) => code)).toEqual(['c']);
  });
});
