import { type CellAlphabet, cellAlphabets } from '@gangan/contracts';
import { RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MessagingConfig } from '../messaging.config.js';
import { MessageTexts } from '../text/message-text.js';
import { measureMessage } from '../text/measure-message.js';
import { boundText } from './text-bound.js';

const texts = new MessageTexts(
  new RuntimeConfig({ PUBLIC_URL: 'https://sms.example' }),
  new MessagingConfig({}),
);

const draftOf = (content: string, channel: 'sms' | 'whatsapp' = 'sms') => ({
  channel,
  source: 'content' as const,
  body: {
    content,
    personalisation: null,
    templateProviderName: null,
    templateLanguage: null,
    templateVariables: [],
  },
});

const characters: Record<CellAlphabet, readonly string[]> = {
  single: ['a', ' ', '@', 'é'],
  double: ['a', '€', '[', '~'],
  wide: ['a', '[', 'ọ', '—', '`'],
  astral: ['a', 'ọ', '😀', '🦁'],
};

const cells = fc.constantFrom(...cellAlphabets).chain((alphabet) =>
  fc.record({
    alphabet: fc.constant(alphabet),
    all: fc.array(
      fc
        .array(fc.constantFrom(...characters[alphabet]), { maxLength: 400 })
        .map((letters) => letters.join('')),
      { minLength: 1, maxLength: 5 },
    ),
    links: fc.array(fc.constantFrom('http://a', 'HTTPS://a.b/cd'), { maxLength: 8 }),
  }),
);

describe('the upper bound of the texts to a smartlist', () => {
  it('is rarely exceeded, and then by one page', () => {
    let [tried, beyond] = [0, 0];
    fc.assert(
      fc.property(
        cells,
        fc.constantFrom(
          ...['{{Name}}', 'Dear {{Name}}!', '— {{Name}} —', `{{Name}}${'x'.repeat(150)}{{Name}}`],
          'http://a.b/{{Name}}',
        ),
        fc.boolean(),
        ({ alphabet, all, links }, content, trackable) => {
          const filled = all.map((cell) => [...links, cell].join(' '));
          const longest = Math.max(...filled.map((cell) => Array.from(cell).length));
          const column = { name: 'Name', longest, alphabet, links: links.length };
          const draft = draftOf(content);
          const bound = boundText(draft, [column], trackable, texts).size.pages;
          for (const cell of filled) {
            const { size, fault } = measureMessage(draft, { Name: cell }, trackable, texts);
            if (fault !== undefined) continue;
            tried += 1;
            if (size.pages > bound) beyond += 1;
            expect(size.pages).toBeLessThanOrEqual(bound + 1);
          }
        },
      ),
      { numRuns: 300 },
    );
    expect(beyond * 50).toBeLessThan(tried);
  });

  it('has room for every link in a cell', () => {
    const links = 'http://a '.repeat(10);
    const column = { name: 'Name', longest: links.length, alphabet: 'single', links: 10 } as const;
    const draft = draftOf('{{Name}}');
    const { size } = measureMessage(draft, { Name: links }, true, texts);
    expect(boundText(draft, [column], true, texts).size.pages).toBeGreaterThanOrEqual(size.pages);
    expect(boundText(draft, [column], false, texts).size.pages).toBe(1);
  });

  it.each(['http://a.b/?for={{Name}}', 'see HTTP://{{Name}}'])(
    'has room for a whole cell that continues a link of the text: %s',
    (content) => {
      const cells = [
        `a ${'b'.repeat(199)}`,
        ` ${'b'.repeat(200)}`,
        `a${'ọ'.repeat(200)}`,
        `a ${'ọ'.repeat(199)}`,
      ];
      for (const cell of cells) {
        const alphabet = cell.includes('ọ') ? 'wide' : 'single';
        const column = { name: 'Name', longest: cell.length, alphabet, links: 0 } as const;
        const draft = draftOf(content);
        const { size } = measureMessage(draft, { Name: cell }, true, texts);
        expect(boundText(draft, [column], true, texts).size.pages).toBeGreaterThanOrEqual(size.pages);
      }
    },
  );

  it('is the size of the text if it has no placeholders', () => {
    expect(boundText(draftOf('x'.repeat(161)), [], false, texts).size).toMatchObject({
      pages: 2,
      length: 161,
    });
  });

  it('is ten pages if some texts are longer, and one page on WhatsApp', () => {
    const column = { name: 'Name', longest: 5_000, alphabet: 'astral', links: 0 } as const;
    expect(boundText(draftOf('{{Name}}'), [column], false, texts)).toMatchObject({ size: { pages: 10 } });
    expect(boundText(draftOf('{{Name}}', 'whatsapp'), [column], false, texts)).toMatchObject({
      size: { pages: 1 },
    });
    expect(boundText(draftOf('{{Name}}'), [column], false, texts).fault).toBeUndefined();
  });

  it('is an error if the text is invalid for every recipient', () => {
    const column = { name: 'Name', longest: 0, alphabet: 'single', links: 0 } as const;
    expect(boundText(draftOf('{{Name}}'), [column], false, texts).fault).toMatchObject({ type: 'missing' });
    expect(boundText(draftOf(`{{Name}}${'x'.repeat(1_590)}`), [column], false, texts).fault).toMatchObject({
      type: 'string_too_long',
    });
  });
});
