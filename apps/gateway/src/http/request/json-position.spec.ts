import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeJsonFault } from './json-position.js';

describe('the position of a fault in JSON', () => {
  it.each([
    ['{bad', 'unexpected b at line 1, column 2'],
    ["{'a': 1}", "unexpected ' at line 1, column 2"],
    ['{"a": 1,}', 'unexpected } at line 1, column 9'],
    ['[1, 2,]', 'unexpected ] at line 1, column 7'],
    ['{"a" 1}', 'unexpected 1 at line 1, column 6'],
    ['{"a": "b" "c": 1}', 'unexpected " at line 1, column 11'],
    ['{\n  "a": 1\n  "b": 2\n}', 'unexpected " at line 3, column 3'],
    ['{"a": 01}', 'unexpected 0 at line 1, column 7'],
    ['{"a": True}', 'unexpected T at line 1, column 7'],
    ['{"a": "line\nbreak"}', 'invalid or unfinished string at line 1, column 7'],
    [String.raw`{"a": "\x"}`, 'invalid or unfinished string at line 1, column 7'],
    ['{"a": “b”}', 'unexpected “ at line 1, column 7'],
    ['{"a": 😀}', 'unexpected 😀 at line 1, column 7'],
    ['{"a": 1} {', 'unexpected { at line 1, column 10'],
    ['{"a": 1', 'it ends too early, at line 1, column 8'],
    [' ', 'it ends too early, at line 1, column 2'],
    ['{"a": "b', 'invalid or unfinished string at line 1, column 7'],
    ['\u0000', 'unexpected \u0000 at line 1, column 1'],
  ])('%j: %s', (json, place) => {
    expect(describeJsonFault(json)).toBe(place);
  });

  it.each(['x', ' ', String.raw`\"`])('is found after a long text of %j', (character) => {
    const long = JSON.stringify(character.repeat(20_000));
    expect(describeJsonFault(`{"a": ${long},}`)).toBe(`unexpected } at line 1, column ${long.length + 8}`);
    expect(describeJsonFault(`{"a": ${long.slice(0, -1)}`)).toBe(
      'invalid or unfinished string at line 1, column 7',
    );
  });

  it('is searched up to the first value or name after 16 KiB', () => {
    expect(describeJsonFault(`{"a": "b", ${' '.repeat(20_000)}bad}`)).toBe(
      'unexpected b at line 1, column 20012',
    );
    expect(describeJsonFault(`{"a": [${'1,'.repeat(500_000)}`)).toBe('after character 16384');
    // Of a text that is too long, the end is not read.
    expect(describeJsonFault(`{"a": "${'x'.repeat(500_000)}",}`)).toBe('after character 6');
    expect(describeJsonFault(`{"a": 1${' '.repeat(500_000)},}`)).toBe('after character 16384');
  });

  it('is behind a valid text and before an invalid character', () => {
    const places = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat());
    fc.assert(
      fc.property(places, ([json, place]) => {
        const at = place % (json.length + 1);
        // A control character is valid nowhere in JSON.
        const [before, after] = [json.slice(0, at), json.slice(at)];
        const found = describeJsonFault(`${before}\u0001${after}`);
        const column = Number(/column (\d+)$/.exec(found)?.[1]);
        const isInText = found.startsWith('invalid');
        expect(isInText ? column <= at + 1 : column === at + 1 || /[\w.+-]$/.test(before)).toBe(true);
      }),
    );
  });
});
