import type { LookupReply, LookupSource, ParsedPhone } from '@gangan/contracts';
import type { LiveFinding } from './live/live-provider.js';
import type { RegistryEntry } from './lookup.repository.js';
import { asNetwork } from './numbering-plan.js';

const unknown = 'UNKNOWN';

/** All that is known of a number. */
export interface Knowledge {
  readonly phone: ParsedPhone;
  readonly planned: string | undefined;
  readonly registry: RegistryEntry;
  readonly live?: { readonly finding: LiveFinding; readonly source: 'live' | 'cache' };
  readonly providerSilent?: boolean;
}

interface Known<T> {
  readonly value: T;
  readonly source: LookupSource;
}

/** Field by field, whoever knows best: the provider, then the registries, then the numbering plan. */
export function answerOf({ phone, planned, registry, live, providerSilent }: Knowledge): LookupReply {
  const { finding = {}, source = 'live' } = live ?? {};
  const told = <T>(value: T | undefined): Known<T>[] => (value === undefined ? [] : [{ value, source }]);
  const inPlan = (value: string | undefined): Known<string>[] => (value ? [{ value, source: 'plan' }] : []);
  const nobody = { value: unknown, source: 'none' } as const;
  const { portedTo } = registry;

  const operator = best<string>(
    [
      ...told(finding.operator),
      ...(portedTo ? [{ value: asNetwork(portedTo), source: 'registry' } as const] : []),
      ...inPlan(planned),
    ],
    nobody,
  );
  const country = best<string>([...told(finding.country), ...inPlan(phone.country)], nobody);
  const ported = best(told(finding.ported), {
    // Who came back to the operator of its prefix has not moved.
    value: portedTo !== undefined && asNetwork(portedTo) !== planned,
    source: 'registry',
  });
  const dnd = best(told(finding.dnd), { value: registry.dnd, source: 'registry' });
  return {
    found: {
      msisdn: msisdnOf(phone),
      operator: operator.value,
      country: country.value,
      ported: ported.value,
      dnd: dnd.value,
    },
    sources: {
      operator: operator.source,
      country: country.source,
      ported: ported.source,
      dnd: dnd.source,
    },
    ...(providerSilent && { providerSilent }),
  };
}

const best = <T>([first]: readonly Known<T>[], otherwise: Known<T>): Known<T> => first ?? otherwise;

const msisdnOf = ({ international, given, e164 }: ParsedPhone): string =>
  international ? given.trim() : e164.slice(1);
