import { FakeProvider, type FakeScript } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Secrets } from '../../src/http/request/build-request.js';
import { type HttpCall, HttpClients } from '../../src/http/http-exchange.js';
import type { LookupPreset, Preset } from '../../src/presets/preset.js';
import { shownText } from '../shown-text.js';

/** What the presets of all domains are tested with. */
export interface PlayedCase<Message, Refusal extends object> {
  readonly script: FakeScript<Message, Refusal>;
  readonly secrets: Secrets;
  /** Every error on the cited pages, and what it means. */
  readonly refusals: readonly (readonly [Refusal, outcome: string, reason?: string])[];
}

/** A server that plays what the pages of a preset say. */
export class PlayedPreset<Message, Refusal extends object> {
  readonly clients = new HttpClients();
  server!: FakeProvider<Message, Refusal>;

  constructor(
    private readonly preset: Preset | LookupPreset,
    private readonly given: PlayedCase<Message, Refusal>,
  ) {}

  describe(define: () => void): void {
    const { title, pages } = this.preset;
    describe(`the preset for ${title}, which follows ${pages.join(', ')}`, () => {
      beforeAll(async () => {
        this.server = await FakeProvider.start(this.given.script);
      });
      afterAll(async () => {
        await this.clients.close();
        await this.server.stop();
      });
      beforeEach(() => {
        this.server.behaviour = () => 'accept';
      });
      define();
    });
  }

  /** The tests of every preset. */
  itIsFollowed(
    findFaults: () => readonly string[],
    call: (changes?: { readonly timeoutMs?: number }, secrets?: Secrets) => Promise<HttpCall<string>>,
  ): void {
    const { pages, secrets: names } = this.preset;

    it('is valid with its secrets', () => {
      expect(Object.keys(this.given.secrets).toSorted()).toEqual(names.toSorted());
      expect(findFaults()).toEqual([]);
      expect(pages.every((page) => page.startsWith('https://'))).toBe(true);
    });

    it('reports wrong credentials as a fault of the account, and shows none', async () => {
      const wrong = this.wrongSecrets();
      const refused = await call({}, wrong);
      expect(refused).toMatchObject({ outcome: 'account', reason: 'provider_account' });
      expectNone(wrong, refused);
    });

    it.each(
      this.given.refusals.map(
        ([refusal, outcome, reason = '']) => [JSON.stringify(refusal), outcome, reason, refusal] as const,
      ),
    )('maps %s to %s (%s)', async (_, outcome, reason, refusal) => {
      this.server.behaviour = () => refusal;
      expect(await call()).toMatchObject({ outcome, ...(reason !== '' && { reason }) });
    });

    it.each([
      ['a hang', 'hang', 'no_answer'],
      ['garbage', 'garbage', 'unreadable_answer'],
      ['a lost answer', 'lost', 'no_answer'],
    ] as const)('does not know the outcome after %s', async (_, behaviour, reason) => {
      this.server.behaviour = () => behaviour;
      const unknown = await call(behaviour === 'hang' ? { timeoutMs: 700 } : {});
      expect(unknown).toMatchObject({ outcome: 'unknown', reason });
      expect(unknown).not.toHaveProperty('finding');
    });
  }

  wrongSecrets(): Secrets {
    return Object.fromEntries(this.preset.secrets.map((name) => [name, `a-wrong-${name}`]));
  }
}

/** Expects that an operator who sees a call sees no secret. */
export function expectNone(secrets: Secrets, call: HttpCall<string>): void {
  for (const secret of Object.values(secrets)) expect(shownText(call)).not.toContain(secret);
}
