import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import {
  airtimeReason,
  airtimeReasons,
  callbackReasons,
  deliveryReason,
  deliveryReasons,
  otpReasons,
  shownReason,
} from './reasons.js';

const page = (name: string): Promise<string> =>
  readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

/** The rows of the tables of a page whose first cell is a code. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const sectionOf = (text: string, title: string): string =>
  text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

const codesOf = (sentences: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(sentences).map(([code, sentence]) => [`\`${code}\``, sentence]);

describe('reasons', () => {
  it('are all in the documentation, each with its sentence', async () => {
    const [, messages = '', airtime = ''] = sectionOf(await page('use/delivery.md'), 'Reasons').split(
      '\n### ',
    );
    expect(rowsOf(messages)).toEqual([...codesOf(deliveryReasons), ...codesOf(otpReasons)]);
    expect(rowsOf(airtime)).toEqual(codesOf(airtimeReasons));
    const ofCallbacks = rowsOf(sectionOf(await page('use/callbacks.md'), 'Inspect and resend'));
    expect(ofCallbacks.filter(([code = '']) => /^`[a-z_]+`$/.test(code))).toEqual(codesOf(callbackReasons));
  });

  it('have a general sentence for a code of a provider', () => {
    expect(deliveryReason('dnd')).toEqual({ code: 'dnd', message: deliveryReasons.dnd });
    expect(deliveryReason('own_code', 'Refused')).toEqual({ code: 'own_code', message: 'Refused' });
    expect(deliveryReason('constructor').message).toBe('The message could not be delivered');
    expect(airtimeReason('own_code').message).toBe('The provider rejected the top-up');
  });

  it('are shown with their sentence, even if only the code is stored', () => {
    expect(shownReason(null, null, deliveryReason)).toEqual({});
    expect(shownReason('dnd', 'On a list', deliveryReason).reason).toEqual({
      code: 'dnd',
      message: 'On a list',
    });
    for (const empty of [null, ''])
      expect(shownReason('dnd', empty, deliveryReason).reason).toEqual(deliveryReason('dnd'));
  });
});
