import { describe, expect, it } from '@jest/globals';
import { MaxLength } from './decorators.js';
import { validate } from '../validate.js';

class Note {
  @MaxLength(3)
  text: string;

  @MaxLength(3, { each: true })
  lines: string[];
}

const faultsOf = (note: object): string[] => {
  const result = validate(Note, { text: '', lines: [], ...note });
  return result.ok ? [] : result.errors.map(({ message }) => message);
};

describe('a text of at most three characters', () => {
  it.each(['', 'abc', '😀😀😀', '❤\ufe0fa', 'e\u0301e'])('may be %p', (text) => {
    expect(faultsOf({ text, lines: [text] })).toEqual([]);
  });

  it.each(['abcd', '😀😀😀😀', '❤\ufe0f❤\ufe0f', 'e\u0301e\u0301'])('cannot be %p', (text) => {
    expect(faultsOf({ text, lines: ['a', text] })).toEqual([
      'text must be shorter than or equal to 3 characters',
      'each value in lines must be shorter than or equal to 3 characters',
    ]);
  });

  it('must be a text', () => {
    expect(faultsOf({ text: 1 })).toHaveLength(1);
  });
});
