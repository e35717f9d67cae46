import { type LookupPhoneRequest, type LookupReply, type ParsedPhone, parsePhone } from '@gangan/contracts';
import { OrganisationModes } from '@gangan/database';
import { invalidRequest, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { FindingRepository } from './live/finding.repository.js';
import { LiveLookups } from './live/live-lookups.js';
import { ConfiguredProvider } from './live/live-provider.js';
import { answerOf, type Knowledge } from './lookup-answer.js';
import { LookupCharges } from './lookup-charges.js';
import { LookupReservations } from './lookup-reservations.js';
import { LookupRepository } from './lookup.repository.js';
import { NumberingPlan } from './numbering-plan.js';

/** A look-up costs its price, unless it is answered from the cache, or a provider should have answered and did not. */
@Injectable()
export class LookupService {
  constructor(
    private readonly plan: NumberingPlan,
    private readonly registry: LookupRepository,
    private readonly modes: OrganisationModes,
    private readonly charges: LookupCharges,
    private readonly reservations: LookupReservations,
    private readonly configured: ConfiguredProvider,
    private readonly findings: FindingRepository,
    private readonly live: LiveLookups,
  ) {}

  /** What can be told without waiting for anybody outside; nothing, when that has to be. */
  async lookup(request: LookupPhoneRequest, context: RequestContext): Promise<LookupReply> {
    const phone = phoneOf(request);
    if (await this.asksProvider(context)) {
      const { complete, finding } = await this.findings.find(phone.e164);
      return complete ? this.answer(phone, { live: { finding, source: 'cache' } }) : {};
    }
    await this.charges.take(context, phone.e164);
    return this.answer(phone);
  }

  async lookupLive(request: LookupPhoneRequest, context: RequestContext): Promise<LookupReply> {
    const phone = phoneOf(request);
    if (!(await this.asksProvider(context))) return this.lookup(request, context);
    const pay = () => this.reservations.pay(context, phone.e164);
    const { kind, finding } = await this.live.ask(phone, pay);
    return this.answer(phone, {
      live: { finding, source: kind === 'told' ? 'live' : 'cache' },
      providerSilent: kind === 'silent',
    });
  }

  /** A provider costs real money: test organisations, which have none, do without. */
  private async asksProvider(context: RequestContext): Promise<boolean> {
    if (!this.configured.provider) return false;
    return (await this.modes.of(requireOrganisationId(context))) === 'live';
  }

  private async answer(
    phone: ParsedPhone,
    more: Pick<Knowledge, 'live' | 'providerSilent'> = {},
  ): Promise<LookupReply> {
    const [planned, registry] = await Promise.all([
      this.plan.operatorOf(phone),
      this.registry.find(phone.e164),
    ]);
    return answerOf({ phone, planned, registry, ...more });
  }
}

/** The gateway refuses what is none first, but a job is input too. */
function phoneOf({ phone: given }: LookupPhoneRequest): ParsedPhone {
  const phone = parsePhone(given);
  if (phone) return phone;
  throw invalidRequest([{ field: 'phone', message: 'phone must be a phone number', type: 'phone' }]);
}
