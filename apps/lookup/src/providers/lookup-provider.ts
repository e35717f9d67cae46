import { createHash } from 'node:crypto';
import type { ParsedPhone } from '@gangan/contracts';
import {
  type LookupCall,
  type LookupCaller,
  type LookupFinding,
  type LookupSettings,
} from '@gangan/providers';

export type FindingField = keyof LookupFinding;

/** An external service that knows the current state of a number. */
export class LookupProvider {
  readonly name: string;
  /** The organisation that alone may use it; `null` if all may. */
  readonly organisationId: string | null;
  /** Changes with the rules for requests and answers, so that findings under other rules are not reused. */
  readonly identity: string;
  /** The fields that it can report. */
  readonly fields: ReadonlySet<FindingField>;

  constructor(
    { name, organisationId }: { readonly name: string; readonly organisationId: string | null },
    { request, answer, outcomes, finding }: LookupSettings,
    private readonly caller: Pick<LookupCaller, 'call'>,
  ) {
    const rules = JSON.stringify([request, answer, outcomes, finding]);
    this.name = name;
    this.organisationId = organisationId;
    this.identity = `${name}-${createHash('sha256').update(rules).digest('hex').slice(0, 16)}`;
    this.fields = new Set(Object.keys(finding) as FindingField[]);
  }

  call(phone: ParsedPhone, signal: AbortSignal): Promise<LookupCall> {
    return this.caller.call(phone, signal);
  }
}
