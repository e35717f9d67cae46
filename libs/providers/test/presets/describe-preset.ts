import { newId } from '@gangan/protocol';
import { expect, it } from '@jest/globals';
import type { Cost } from '../../src/cost/money.js';
import type { Credit } from '../../src/credit/credit-settings.js';
import { HttpCaller } from '../../src/http/http-caller.js';
import { findHttpFaults, type HttpSettings } from '../../src/http/http-settings.js';
import { documentOf, type InboundRequest } from '../../src/http/inbound-document.js';
import { readReports } from '../../src/http/reports/read-reports.js';
import type { Preset } from '../../src/presets/preset.js';
import { readInbound } from '../../src/inbound/read-inbound.js';
import { expectNone, type PlayedCase, PlayedPreset } from './played-preset.js';

export const message = (recipient = '+2348031234567', text = 'Your order is on its way') => ({
  recipient,
  recipient_digits: recipient.slice(1),
  sender: 'Acme',
  text,
  reference: newId(),
});

type Values = ReturnType<typeof message>;

export const reportAddress = { url: 'https://sms.example/in/p/the-token', token: 'the-token' };
export const reportUrlOf = ({ reference }: Values): string => `${reportAddress.url}/${reference}`;

/** Codes with one meaning, in answers, reports or both. */
export interface CodeTable {
  readonly title: string;
  readonly codes: string;
  readonly sent?: readonly [outcome: string, reason: string | undefined];
  readonly reported?: readonly [state: string, reason: string];
}

/** @param outcome of an answer with the same reason, if answers have these codes too */
export const undelivered = (title: string, reason: string, codes: string, outcome?: string): CodeTable => ({
  title,
  codes,
  reported: ['undelivered', reason],
  ...(outcome !== undefined && { sent: [outcome, reason] as const }),
});

export interface PresetCase<Message, Refusal extends object> extends PlayedCase<Message, Refusal> {
  /** What an operator adds to the settings. */
  readonly form?: Readonly<Record<string, string>>;
  /** What the provider reads from a request. */
  readonly sent: (values: Values) => object;
  readonly reference: RegExp;
  /** What the answer says about the price. */
  readonly cost?: Cost;
  /** What the provider says about our credit, if it can be asked. */
  readonly credit?: Credit;
  /** What the provider says if it is asked what became of a message, and what that means. */
  readonly polled?: readonly (readonly [status: string, state: string])[];
  /** Codes of a long table. Together they are all codes of the page. */
  readonly tables?: readonly CodeTable[];
  /** An answer with a code of the tables. */
  readonly refusal?: (code: string) => Refusal;
  /** A report with a code of the tables about a message that was not delivered. */
  readonly failure?: (code: string) => InboundRequest;
  /** Every documented status of a report, and what it means. */
  readonly reports?: {
    readonly request: (...status: readonly string[]) => InboundRequest;
    readonly states: readonly (readonly [status: readonly string[], state: string, reason?: string])[];
    /** What every report says about the cost. */
    readonly cost?: Cost;
  };
}

function missing(code: string): never {
  throw new Error(`The case has no function that makes code ${code}`);
}

/** Plays what the pages of a preset say. */
export function describePreset<Message, Refusal extends object>(
  preset: Preset,
  given: PresetCase<Message, Refusal>,
): void {
  const { settings, secrets: names } = preset;
  const played = new PlayedPreset(preset, given);
  const own = (changes: Partial<HttpSettings> = {}): HttpSettings => {
    const form = given.form && { form: { ...settings.request.form, ...given.form } };
    return {
      ...settings,
      request: { ...settings.request, ...form, url: played.server.url },
      allowPrivate: true,
      ...changes,
    };
  };
  const caller = (changes: Partial<HttpSettings> = {}, secrets = given.secrets) =>
    new HttpCaller({
      clients: played.clients,
      secrets,
      maxTimeoutMs: 5_000,
      settings: own(changes),
      reportAddress,
    });

  played.describe(() => {
    played.itIsFollowed(
      () => findHttpFaults(own(), names),
      (...changes) => caller(...changes).call(message()),
    );

    it('sends a message, reads its reference and shows no secret', async () => {
      const values = message();
      const call = await caller().call(values);
      expect([call.outcome, call.reference]).toEqual(['accepted', expect.stringMatching(given.reference)]);
      expect(call.cost).toEqual(given.cost);
      expect(played.server.sent.at(-1)).toEqual(given.sent(values));
      expectNone({ ...given.secrets, token: reportAddress.token }, call);
    });

    it('sends a text in another script', async () => {
      const values = message(undefined, 'Ẹ káàárọ̀ "&+%');
      expect(await caller().call(values)).toMatchObject({ outcome: 'accepted' });
      expect(played.server.sent.at(-1)).toEqual(given.sent(values));
    });

    it('sends a long text, with the references of all parts if each has its own', async () => {
      const values = message(undefined, 'Long text '.repeat(40));
      const { outcome, furtherReferences } = await caller().call(values);
      expect([outcome, furtherReferences?.length ?? 0]).toEqual(['accepted', settings.answer.parts ? 2 : 0]);
      expect(played.server.sent.at(-1)).toEqual(given.sent(values));
    });

    const tables = (given.tables ?? []).map(({ codes, ...table }) => ({
      ...table,
      codes: codes.trim().split(/\s+/),
    }));
    const expected = (codes: readonly string[], meaning: readonly unknown[]) =>
      Object.fromEntries(codes.map((code) => [code, meaning]));

    it('has every code of its tables once', () => {
      const all = tables.flatMap(({ codes }) => codes);
      expect(all.filter((code, index) => all.indexOf(code) !== index)).toEqual([]);
    });

    for (const { title: meaning, codes, sent, reported } of tables) {
      const { refusal = missing, failure = missing } = given;
      if (sent)
        it(`maps an answer with ${meaning} (${codes.length} codes)`, async () => {
          const found: Record<string, readonly unknown[]> = {};
          for (const code of codes) {
            played.server.behaviour = () => refusal(code);
            const { outcome, reason } = await caller().call(message());
            found[code] = [outcome, reason];
          }
          expect(found).toEqual(expected(codes, sent));
        });
      if (reported)
        it(`maps a report with ${meaning} (${codes.length} codes)`, () => {
          const found = codes.map((code) => {
            const read = settings.reports && readReports(settings.reports, documentOf(failure(code)));
            return [code, [read?.reports[0]?.state, read?.reports[0]?.reason]] as const;
          });
          expect(Object.fromEntries(found)).toEqual(expected(codes, reported));
        });
    }

    (given.credit ? it : it.skip)('asks for our credit', async () => {
      expect(await caller().credit()).toEqual(given.credit);
      expect(await caller({}, played.wrongSecrets()).credit()).toBeUndefined();
    });

    if (settings.request.batch)
      it('sends several messages in one request, each with its result', async () => {
        const [before, text] = [played.server.requests, 'The same'];
        const messages = ['+2348031234567', '+2348031234568', '+2348031234569'].map((to) =>
          message(to, text),
        );
        const [refusal] =
          given.refusals.find(([{ status }]: readonly [{ status?: number }, ...unknown[]]) => !status) ?? [];
        played.server.behaviour = (own) =>
          refusal && JSON.stringify(own).includes('2348031234568') ? refusal : 'accept';
        const calls = await caller().callAll(messages, 1);
        expect(calls.map(({ outcome }) => outcome === 'accepted')).toEqual([true, false, true]);
        expect(new Set(calls.map(({ reference }) => reference)).size).toBe(3);
        expect(played.server.requests).toBe(before + 1);
      });

    if (settings.poll)
      it('is asked what became of a message', async () => {
        const { reference = '' } = await caller().call(message());
        const polled = async (state: string) => {
          played.server.state = () => state;
          return caller().poll([reference], 1);
        };
        expect(given.polled).not.toHaveLength(0);
        for (const [status, state] of given.polled ?? [])
          expect([status, await polled(status)]).toEqual([status, [expect.objectContaining({ state })]]);
        expect(await caller().poll(['unknown'], 1)).toEqual([{ fault: expect.any(String) }]);
        expect(await caller({}, played.wrongSecrets()).poll([reference], 1)).toEqual([
          { fault: expect.any(String) },
        ]);
      });

    if (settings.ask)
      it('is asked about a message after a lost answer', async () => {
        played.server.behaviour = () => 'lost';
        const values = message();
        expect(await caller().call(values)).toMatchObject({ outcome: 'unknown' });
        expect(await caller().ask([values.reference, newId()], 1)).toMatchObject([
          { outcome: 'accepted', reference: values.reference },
          { outcome: 'not_found' },
        ]);
      });

    const { reports } = given;
    if (reports)
      it('reads the cost in a report, if it has one', () => {
        const [[status] = [[]]] = reports.states;
        const read = readInbound({ kind: 'http', settings }, reports.request(...status));
        expect(read.reports.map(({ cost }) => cost)).toEqual([reports.cost]);
      });

    if (reports)
      it.each(reports.states.map(([status, state, reason = '']) => [status, state, reason] as const))(
        'reads a report with the status %j as %s (%s)',
        (status, state, reason) => {
          if (!settings.reports) throw new Error('the preset reads no reports');
          expect(readReports(settings.reports, documentOf(reports.request(...status)))).toEqual({
            reports: [expect.objectContaining({ state, ...(reason !== '' && { reason }) })],
            faults: [],
          });
        },
      );
  });
}

/** A report as a form. */
export const formReport = (fields: Readonly<Record<string, string>>): InboundRequest => ({
  query: '',
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(fields).toString(),
});

/** A report as JSON. */
export const jsonReport = (body: object): InboundRequest => ({
  query: '',
  contentType: 'application/json',
  body: JSON.stringify(body),
});
