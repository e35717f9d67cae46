import type { LookupReply, LookupSource, ParsedPhone } from '@gangan/contracts';
import type { LookupFinding } from '@gangan/providers';
import type { RegistryEntry } from './lookup.repository.js';
import { toNetworkName } from './numbering-plan.js';

/** Everything that is known about a number. */
export interface LookupData {
  readonly phone: ParsedPhone;
  /** The operator of the range in the numbering plan. */
  readonly planOperator: string | undefined;
  readonly registry: RegistryEntry;
  readonly live?: { readonly finding: LookupFinding; readonly source: 'live' | 'cache' };
  readonly providerSilent?: boolean;
}

const unknown = { value: 'UNKNOWN', source: 'none' } as const;

/** Decides each field on its own: the provider comes first, then the registries, then the numbering plan. */
export function toReply({ phone, planOperator, registry, live, providerSilent }: LookupData): LookupReply {
  const { finding = {}, source: liveSource = 'live' } = live ?? {};
  const { portedTo } = registry;
  const registered = portedTo === undefined ? undefined : toNetworkName(portedTo);
  const operator =
    from(liveSource, finding.operator) ??
    from('registry', registered) ??
    from('plan', planOperator) ??
    unknown;
  const country = from(liveSource, finding.country) ?? from('plan', phone.country) ?? unknown;
  // A number that came back to the operator of its prefix is not ported.
  const isPorted = registered !== undefined && registered !== planOperator;
  const ported = from(liveSource, finding.ported) ?? { value: isPorted, source: 'registry' as const };
  const dnd = from(liveSource, finding.dnd) ?? { value: registry.dnd, source: 'registry' as const };
  const lineType = from(liveSource, finding.lineType);
  const roaming = from(liveSource, finding.roaming);
  return {
    found: {
      msisdn: phone.international ? phone.given.trim() : phone.e164.slice(1),
      operator: operator.value,
      country: country.value,
      ported: ported.value,
      dnd: dnd.value,
      ...(lineType && { line_type: lineType.value }),
      ...(roaming && { roaming: roaming.value }),
    },
    sources: {
      operator: operator.source,
      country: country.source,
      ported: ported.source,
      dnd: dnd.source,
      ...(lineType && { line_type: lineType.source }),
      ...(roaming && { roaming: roaming.source }),
    },
    ...(providerSilent && { providerSilent }),
  };
}

const from = <T>(source: LookupSource, value: T | undefined) =>
  value === undefined || value === '' ? undefined : { value, source };
