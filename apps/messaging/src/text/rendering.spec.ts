import { describe, expect, it } from '@jest/globals';
import { placeholdersOf, render, renderedLength } from './rendering.js';

describe('a body with placeholders', () => {
  it.each<[body: string, names: string[]]>([
    ['nothing', []],
    ['{{a}} {{ b_1 }} {{a}} {{C}}', ['a', 'b_1', 'C']],
    ['{a} {{}} {{a b}} {{a-b}} {{é}} {{a}', []],
    ['{{{a}}}', ['a']],
  ])('such as %j needs the values %j', (body, names) => {
    expect(placeholdersOf(body)).toEqual(names);
  });

  it('is filled with values', () => {
    expect(render('Hi {{name}}, {{ name }}: {{sum}}!', { name: 'Ada', sum: '$&' })).toBe('Hi Ada, Ada: $&!');
  });

  it('has the length that was calculated before', () => {
    for (const body of ['', '{{a}}', 'x{{ a }}y{{b}}{{a}}', '{{toString}}']) {
      const substitutions = { a: 'long text', b: '' };
      expect(renderedLength(body, substitutions)).toBe(render(body, substitutions).length);
    }
  });

  it('does not expand placeholders in values', () => {
    expect(render('{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' })).toBe('{{b}} {{a}}');
    expect(render('{{a}}b}}', { a: '{{', b: 'no' })).toBe('{{b}}');
  });

  it('uses no inherited properties as values', () => {
    expect(render('{{constructor}} {{toString}} {{__proto__}}', {})).toBe(
      '{{constructor}} {{toString}} {{__proto__}}',
    );
    const own = JSON.parse('{"__proto__": "mine"}') as Record<string, string>;
    expect(render('{{__proto__}}', own)).toBe('mine');
  });
});
