import { beforeAll, describe, expect, it } from '@jest/globals';

interface SupplyChain {
  licenceFaults(licences: Record<string, { name: string }[]>): string[];
  advisoryFaults(output: string): string[] | undefined;
  verdict(licences: string[], advisories: string[] | undefined, isStrict: boolean): Verdict;
}

interface Verdict {
  readonly faults: string[];
  readonly warnings: string[];
}

describe('.ci/supply-chain.mjs', () => {
  let check: SupplyChain;
  beforeAll(async () => {
    check = (await import(new URL('../../../../.ci/supply-chain.mjs', import.meta.url).href)) as SupplyChain;
  });

  it.each(['MIT', '(GPL-3.0-only OR MIT)', 'Apache-2.0 AND MIT', '(MIT OR CC0-1.0)'])(
    'accepts %s',
    (licence) => {
      expect(check.licenceFaults({ [licence]: [{ name: 'a' }] })).toEqual([]);
    },
  );

  it.each(['GPL-3.0-only', 'Apache-2.0 AND GPL-3.0-only', 'Unknown', 'SEE LICENSE IN file'])(
    'names the packages with %s',
    (licence) => {
      expect(check.licenceFaults({ MIT: [{ name: 'a' }], [licence]: [{ name: 'b' }] })).toEqual([
        `b has the licence ${licence}`,
      ]);
    },
  );

  const report = (severity: string): string =>
    JSON.stringify({
      advisories: { 1: { module_name: 'undici', severity, title: 'Bad', url: 'https://example.com/1' } },
      metadata: { vulnerabilities: { [severity]: 1 } },
    });

  it('fails from severity high on', () => {
    expect(check.advisoryFaults(report('moderate'))).toEqual([]);
    expect(check.advisoryFaults(report('high'))).toEqual(['undici: Bad (high, https://example.com/1)']);
    expect(check.advisoryFaults(report('critical'))).toHaveLength(1);
  });

  it.each(['', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE', '{"error":{"code":"x"}}'])(
    'does not take %j for a report without faults',
    (output) => {
      expect(check.advisoryFaults(output)).toBeUndefined();
    },
  );

  it('warns if the advisories cannot be read, and fails then with --strict', () => {
    const reason = expect.stringContaining('could not be read');
    expect(check.verdict(['a'], undefined, false)).toEqual({ faults: ['a'], warnings: [reason] });
    expect(check.verdict(['a'], undefined, true)).toEqual({ faults: ['a', reason], warnings: [] });
    for (const isStrict of [true, false])
      expect(check.verdict(['a'], ['b'], isStrict)).toEqual({ faults: ['a', 'b'], warnings: [] });
  });
});
