import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { measureText } from './text-size.js';

const a = (count: number): string => 'a'.repeat(count);
const wide = (count: number): string => 'ж'.repeat(count);

describe('the pages of a text', () => {
  it.each<[what: string, text: string, encoding: string, length: number, pages: number]>([
    ['nothing', '', 'GSM-7', 0, 1],
    ['160', a(160), 'GSM-7', 160, 1],
    ['161', a(161), 'GSM-7', 161, 2],
    ['306', a(306), 'GSM-7', 306, 2],
    ['307', a(307), 'GSM-7', 307, 3],
    ['1530', a(1530), 'GSM-7', 1530, 10],
    ['1531', a(1531), 'GSM-7', 1531, 11],
    ['70 wide', wide(70), 'UCS-2', 70, 1],
    ['71 wide', wide(71), 'UCS-2', 71, 2],
    ['134 wide', wide(134), 'UCS-2', 134, 2],
    ['135 wide', wide(135), 'UCS-2', 135, 3],
    ['one wide among many', `${a(69)}ж${a(1)}`, 'UCS-2', 71, 2],
    ['a euro takes two', `${a(158)}€`, 'GSM-7', 160, 1],
    ['and does not fit into one', `${a(159)}€`, 'GSM-7', 161, 2],
    ['nor across a border', `${a(152)}€${a(152)}`, 'GSM-7', 306, 3],
    ['before it, it does', `${a(151)}€${a(153)}`, 'GSM-7', 306, 2],
    ['every extension character', '\f[\\]^{|}~€', 'GSM-7', 20, 1],
    ['80 of them', '€'.repeat(80), 'GSM-7', 160, 1],
    ['two pages hold 152 of them', '€'.repeat(152), 'GSM-7', 304, 2],
    ['and not 153', '€'.repeat(153), 'GSM-7', 306, 3],
    ['35 emoji', '😀'.repeat(35), 'UCS-2', 70, 1],
    ['36 emoji', '😀'.repeat(36), 'UCS-2', 72, 2],
    ['an emoji across a border', `${wide(66)}😀${wide(66)}`, 'UCS-2', 134, 3],
    ['before it', `${wide(65)}😀${wide(67)}`, 'UCS-2', 134, 2],
    ['a family is one', '👨‍👩‍👧‍👦'.repeat(7), 'UCS-2', 77, 2],
    ['accents of GSM-7', 'èéùìòÇØøÅåÆæßÉÄÖÑÜ§¿äöñüà', 'GSM-7', 25, 1],
    ['others are not', 'ç', 'UCS-2', 1, 1],
    ['a curly quotation mark is not replaced', '“', 'UCS-2', 1, 1],
    ['line breaks', 'a\r\nb', 'GSM-7', 4, 1],
  ])('%s', (_what, text, encoding, length, pages) => {
    expect(measureText(text)).toEqual({ encoding, length, pages });
    expect(new SegmentedMessage(text)).toMatchObject({ encodingName: encoding, segmentsCount: pages });
  });

  it('of one character with many marks are cut as well', () => {
    expect(measureText(`a${'\u0301'.repeat(300)}`).pages).toBe(5);
    expect(measureText(`${wide(66)}😀${'\u0301'.repeat(70)}`).pages).toBe(3);
  });

  it('have the alphabet of the library', () => {
    const misread: string[] = [];
    for (let unit = 0; unit < 0x3000; unit += 1) {
      const text = String.fromCharCode(unit);
      const { encodingName, numberOfCharacters } = new SegmentedMessage(text);
      const { encoding, length } = measureText(text);
      if (encoding !== encodingName || (encoding === 'GSM-7' && length !== numberOfCharacters))
        misread.push(text);
    }
    expect(misread).toEqual([]);
  });

  it('are counted as the library counts them', () => {
    const gsm = fc.constantFrom(...Array.from('ab €{}~\n\r@Δ'));
    const some = fc.constantFrom(
      ...['a', 'ж', '€', '😀', 'é', 'e\u0301', '👍🏽', '🇳🇬', '中', '\r\n', '❤️', 'ก', 'ำ'],
    );
    const texts = fc.oneof(
      fc.array(gsm, { minLength: 140, maxLength: 640 }),
      fc.array(some, { minLength: 30, maxLength: 300 }),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const { encodingName, segmentsCount } = new SegmentedMessage(text);
        expect(measureText(text)).toMatchObject({ encoding: encodingName, pages: segmentsCount });
      }),
      { numRuns: 60 },
    );
  });
});
