import { inspect } from 'node:util';
import { parsePhone, type ParsedPhone } from '@gangan/contracts';
import { type FakeLookupAnswer, FakeProvider, type FakeQuestion, type FakeScript } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Secrets } from '../../../src/http/request/build-request.js';
import { HttpClients } from '../../../src/http/http-exchange.js';
import { LookupCaller } from '../../../src/http/lookup/lookup-caller.js';
import { findLookupFaults, type LookupSettings } from '../../../src/http/lookup/lookup-settings.js';
import type { LookupFinding } from '../../../src/http/lookup/read-finding.js';
import type { LookupPreset } from '../../../src/presets/preset.js';

export interface LookupPresetCase {
  readonly script: FakeScript<FakeQuestion, FakeLookupAnswer>;
  readonly secrets: Secrets;
  /** What the provider reads from a request about +2348031234567. */
  readonly asked: FakeQuestion;
  /** What the example on the page means. */
  readonly finding: LookupFinding;
  /** Other documented answers, and what they mean. */
  readonly findings?: readonly (readonly [change: object, finding: LookupFinding])[];
  /** Every error on the cited pages, and what it means. */
  readonly errors: readonly (readonly [FakeLookupAnswer, outcome: string, reason?: string])[];
}

const phone = parsePhone('+2348031234567') as ParsedPhone;

/** Plays what the pages of a preset say. */
export function describeLookupPreset(preset: LookupPreset, given: LookupPresetCase): void {
  const { title, pages, settings, secrets: names } = preset;
  describe(`the preset for ${title}, which follows ${pages.join(', ')}`, () => {
    let server: FakeProvider<FakeQuestion, FakeLookupAnswer>;
    const clients = new HttpClients();

    beforeAll(async () => {
      server = await FakeProvider.start(given.script);
    });
    afterAll(async () => {
      await clients.close();
      await server.stop();
    });
    beforeEach(() => {
      server.behaviour = () => 'accept';
    });

    const own = (changes: Partial<LookupSettings> = {}): LookupSettings => {
      const url = settings.request.url.replace(/^https:\/\/[^/]+/, new URL(server.url).origin);
      return { ...settings, request: { ...settings.request, url }, allowPrivate: true, ...changes };
    };
    const ask = (changes: Partial<LookupSettings> = {}, secrets = given.secrets) =>
      new LookupCaller({ clients, secrets, maxTimeoutMs: 5_000, settings: own(changes) }).call(phone);

    it('is valid with its secrets', () => {
      expect(Object.keys(given.secrets).toSorted()).toEqual(names.toSorted());
      expect(findLookupFaults(settings, names)).toEqual([]);
      expect(pages.every((page) => page.startsWith('https://'))).toBe(true);
    });

    it('asks about a number, reads the answer and shows no secret', async () => {
      const call = await ask();
      expect([call.outcome, call.finding]).toEqual(['accepted', given.finding]);
      expect(server.sent.at(-1)).toEqual(given.asked);
      for (const secret of Object.values(given.secrets))
        expect(inspect(call, { depth: null })).not.toContain(secret);
    });

    if (given.findings)
      it.each(given.findings)('reads %j as %j', async (body, finding) => {
        server.behaviour = () => ({ body: body as Record<string, unknown> });
        expect(await ask()).toMatchObject({ outcome: 'accepted', finding });
        expect((await ask()).finding).toEqual(finding);
      });

    it('reports wrong credentials as a fault of the account, and shows none', async () => {
      const call = await ask({}, Object.fromEntries(names.map((name) => [name, `a-wrong-${name}`])));
      expect(call).toMatchObject({ outcome: 'account', reason: 'provider_account' });
      expect(JSON.stringify(call)).not.toContain('a-wrong-');
    });

    it.each(given.errors.map(([error, ...expected]) => [JSON.stringify(error), ...expected, error] as const))(
      'maps %s to %s',
      async (...parts) => {
        const [, outcome, reason] = parts;
        const error = parts.at(-1) as FakeLookupAnswer;
        server.behaviour = () => error;
        expect(await ask()).toMatchObject({ outcome, ...(typeof reason === 'string' && { reason }) });
      },
    );

    it('has no finding after a hang, garbage or a lost answer', async () => {
      const results: (string | undefined)[] = [];
      for (const behaviour of ['hang', 'garbage', 'lost'] as const) {
        server.behaviour = () => behaviour;
        const { outcome, reason, finding } = await ask({ timeoutMs: 300 });
        results.push(`${outcome} ${reason}`);
        expect(finding).toBeUndefined();
      }
      expect(results).toEqual(['unknown no_answer', 'unknown unreadable_answer', 'unknown no_answer']);
    });
  });
}
