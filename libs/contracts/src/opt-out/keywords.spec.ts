import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Keyword, matchKeyword, normalizeWord } from './keywords.js';
import { parseOptOutSettings } from './opt-out-settings.js';

const words: readonly (readonly [string, Keyword])[] = [
  ['STOP', 'stop'],
  ['UNSUBSCRIBE', 'stop'],
  ['END', 'stop'],
  ['CANCEL', 'stop'],
  ['QUIT', 'stop'],
  ['START', 'start'],
  ['UNSTOP', 'start'],
  ['HELP', 'help'],
];

const keyword = fc.constantFrom(...words);
const noise = fc.string({
  unit: fc.constantFrom(
    ...Array.from(' \t\n\r.,;:!?"\'«»()[]{}-–—…*/_#@&+=<>|~^`€£¿¡。、！🛑🙏️\u00a0\u200b\u202f\ufeff'),
  ),
  maxLength: 40,
});
const casing = fc.array(fc.boolean(), { minLength: 11, maxLength: 11 });
const inCase = (word: string, upper: readonly boolean[]): string =>
  Array.from(word, (letter, at) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())).join('');

describe('a keyword', () => {
  it('is the whole message, in any case, with any spaces and punctuation around it', () => {
    fc.assert(
      fc.property(keyword, casing, noise, noise, ([word, meaning], upper, before, after) => {
        expect(matchKeyword(before + inCase(word, upper) + after)).toBe(meaning);
      }),
    );
  });

  it('is not part of a longer text', () => {
    const other = fc.stringMatching(/^[a-z0-9]{1,10}$/);
    fc.assert(
      fc.property(keyword, other, fc.constantFrom('', ' ', ', ', '-'), ([word], rest, between) => {
        fc.pre(!words.some(([own]) => own === (word + between + rest).toUpperCase()));
        expect(matchKeyword(word + between + rest)).toBeUndefined();
        expect(matchKeyword(rest + between + word)).toBe(
          words.find(([own]) => own === (rest + between + word).toUpperCase())?.[1],
        );
      }),
    );
  });

  it.each(['', '   ', '!!!', '🛑', '\0', '\ud800', 'STOP STOP', 'S T O P', 'STOP.NOW'])(
    'cannot be %j',
    (text) => {
      expect(matchKeyword(text)).toBeUndefined();
    },
  );

  it('is not searched in long messages', () => {
    expect(matchKeyword(`STOP${'!'.repeat(96)}`)).toBe('stop');
    expect(matchKeyword(`STOP${'!'.repeat(97)}`)).toBeUndefined();
    expect(matchKeyword(`${' '.repeat(1_000)}STOP\n`)).toBe('stop');
  });

  it('may be a stop word of the organisation, without accents and case', () => {
    const own = ['Arrêter', 'TAMAM', 'pas de pub', '停止'];
    for (const text of ['ARRETER', 'arrêter !', 'tamam', 'Pas  de\npub.', '停止。', 'İPTAL', 'iptal'])
      expect(matchKeyword(text, [...own, 'İptal'])).toBe('stop');
    expect(matchKeyword('pasdepub', own)).toBeUndefined();
    expect(matchKeyword('arreter')).toBeUndefined();
  });

  it('cannot be given another meaning by an organisation', () => {
    expect(matchKeyword('START', ['start'])).toBe('start');
    expect(matchKeyword('', ['!'])).toBeUndefined();
  });
});

describe('the normal form of a word', () => {
  it('is its own normal form and has no surrounding spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        const word = normalizeWord(text);
        expect(normalizeWord(word)).toBe(word);
        expect(word).toBe(word.trim());
      }),
    );
  });
});

describe('the settings of opt-outs', () => {
  it.each([
    [undefined],
    [{}],
    [{ stop_words: ['ARRETER', 'stop', 'x'.repeat(32)], help_text: 'Acme: call 0700 123' }],
    [{ help_text: '😀'.repeat(480) }],
  ])('may be %j', (settings) => {
    expect(parseOptOutSettings(settings)).toMatchObject({ ok: true, value: settings ?? {} });
  });

  it.each([
    [{ stop_words: [] }, 'stop_words'],
    [{ stop_words: ['!'] }, 'has no letters or digits'],
    [{ stop_words: ['x'.repeat(33)] }, 'is longer than 32 characters'],
    [{ stop_words: ['Help!'] }, 'has another meaning: help'],
    [{ stop_words: ['unstop'] }, 'has another meaning: start'],
    [{ stop_words: Array.from({ length: 51 }, (_, nth) => `word ${nth}`) }, 'stop_words'],
    [{ stop_words: 'STOP' }, 'stop_words'],
    [{ help_text: ' \u200b' }, 'visible text'],
    [{ help_text: 'a\0' }, 'NUL'],
    [{ help_text: 'x'.repeat(481) }, '480'],
    [{ help_text: null }, 'may not be null'],
    [{ start_words: ['GO'] }, 'is not an opt-out setting'],
    ['STOP', 'must be an object'],
  ])('may not be %j', (settings, message) => {
    const result = parseOptOutSettings(settings);
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).toContain(message);
  });
});
