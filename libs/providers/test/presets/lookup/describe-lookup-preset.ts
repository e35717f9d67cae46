import { parsePhone, type ParsedPhone } from '@gangan/contracts';
import type { FakeLookupAnswer, FakeQuestion } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { LookupCaller } from '../../../src/http/lookup/lookup-caller.js';
import { findLookupFaults, type LookupSettings } from '../../../src/http/lookup/lookup-settings.js';
import type { LookupFinding } from '../../../src/http/lookup/lookup-finding.js';
import type { LookupPreset } from '../../../src/presets/preset.js';
import { expectNone, type PlayedCase, PlayedPreset } from '../played-preset.js';

export interface LookupPresetCase extends PlayedCase<FakeQuestion, FakeLookupAnswer> {
  /** What the provider reads from a request about +2348031234567. */
  readonly asked: FakeQuestion;
  /** What the example on the page means. */
  readonly finding: LookupFinding;
  /** Other documented answers, and what they mean. */
  readonly findings?: readonly (readonly [change: object, finding: LookupFinding])[];
}

const phone = parsePhone('+2348031234567') as ParsedPhone;

/** Plays what the pages of a preset say. */
export function describeLookupPreset(preset: LookupPreset, given: LookupPresetCase): void {
  const { settings } = preset;
  const played = new PlayedPreset(preset, given);
  const own = (changes: Partial<LookupSettings>): LookupSettings => {
    const url = settings.request.url.replace(/^https:\/\/[^/]+/, new URL(played.server.url).origin);
    return { ...settings, request: { ...settings.request, url }, allowPrivate: true, ...changes };
  };
  const ask = (changes: Partial<LookupSettings> = {}, secrets = given.secrets) =>
    new LookupCaller({
      clients: played.clients,
      secrets,
      maxTimeoutMs: 5_000,
      settings: own(changes),
    }).call(phone);

  played.describe(() => {
    played.itIsFollowed(() => findLookupFaults(settings, preset.secrets), ask);

    it('asks about a number, reads the answer and shows no secret', async () => {
      const call = await ask();
      expect([call.outcome, call.finding]).toEqual(['accepted', given.finding]);
      expect(played.server.sent.at(-1)).toEqual(given.asked);
      expectNone(given.secrets, call);
    });

    if (given.findings)
      it.each(given.findings)('reads %j as %j', async (body, finding) => {
        played.server.behaviour = () => ({ body: body as Record<string, unknown> });
        expect(await ask()).toMatchObject({ outcome: 'accepted', finding });
        expect((await ask()).finding).toEqual(finding);
      });
  });
}
