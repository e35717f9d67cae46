import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { cellsOf, isHeading, makeCollector } from './read-file.js';

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

describe('a line of a file', () => {
  it('may be a heading with the names of the columns', () => {
    expect([['phone', 'operator'], ['MSISDN'], ['Phone number'], ['0803'], []].map(isHeading)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['08031234567, MTN ', ['08031234567', 'MTN']],
    ['\ufeffphone,operator\r', ['phone', 'operator']],
    ['"+234 803 123 4567","A ""B"" C"\r', ['+234 803 123 4567', 'A "B" C']],
    ['"0803,1","Glo, Ltd"', ['0803,1', 'Glo, Ltd']],
    ['08031234567', ['08031234567']],
    ['  \r', []],
    ['"0803', undefined],
  ])('%j has the cells %j', (text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });
});
