import {
  type LookupPhoneRequest,
  type LookupReply,
  type ParsedPhone,
  parsePhone,
  phoneError,
} from '@gangan/contracts';
import { OrganisationModes } from '@gangan/database';
import { invalidRequest, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { LookupCharges } from './charges/lookup-charges.js';
import { FindingRepository } from './live/finding.repository.js';
import { LiveLookups } from './live/live-lookups.js';
import { LookupConfig } from './lookup.config.js';
import { LookupRepository } from './lookup.repository.js';
import { type LookupData, toReply } from './lookup.response.js';
import { NumberingPlan } from './numbering-plan.js';
import type { LookupProvider } from './providers/lookup-provider.js';
import { LookupProviders } from './providers/lookup-providers.js';

/** A lookup is charged unless it is answered from the cache, or the provider did not answer. */
@Injectable()
export class LookupService {
  constructor(
    private readonly plan: NumberingPlan,
    private readonly registry: LookupRepository,
    private readonly modes: OrganisationModes,
    private readonly charges: LookupCharges,
    private readonly providers: LookupProviders,
    private readonly findings: FindingRepository,
    private readonly live: LiveLookups,
    private readonly config: LookupConfig,
  ) {}

  /** Replies from local data and the cache. The reply is empty if the provider has to be called. */
  async lookup(request: LookupPhoneRequest, context: RequestContext): Promise<LookupReply> {
    return this.find(this.requirePhone(request), context);
  }

  async lookupLive(request: LookupPhoneRequest, context: RequestContext): Promise<LookupReply> {
    return this.findLive(this.requirePhone(request), context);
  }

  /** As `lookupLive`, for a number that was parsed already. */
  async findLive(phone: ParsedPhone, context: RequestContext): Promise<LookupReply> {
    const providers = await this.providersFor(context);
    if (providers.length === 0) return this.find(phone, context);
    const reserve = () => this.charges.reserve(context, phone.e164);
    const organisationId = requireOrganisationId(context);
    const { kind, finding } = await this.live.find({ organisationId, phone, providers }, reserve);
    return this.reply(phone, {
      live: { finding, source: kind === 'live' ? 'live' : 'cache' },
      providerSilent: kind === 'unavailable',
    });
  }

  private async find(phone: ParsedPhone, context: RequestContext): Promise<LookupReply> {
    const providers = await this.providersFor(context);
    if (providers.length > 0) {
      const { complete, finding } = await this.findings.find({ phone, providers });
      return complete ? this.reply(phone, { live: { finding, source: 'cache' } }) : {};
    }
    await this.charges.charge(context, phone.e164);
    return this.reply(phone);
  }

  /** A provider costs real money, so test organisations never use one. */
  private async providersFor(context: RequestContext): Promise<readonly LookupProvider[]> {
    const organisationId = requireOrganisationId(context);
    const usable = this.providers.usableBy(organisationId);
    if (usable.length === 0) return usable;
    return (await this.modes.of(organisationId)) === 'live' ? usable : [];
  }

  /** The gateway validates the number first. The worker checks again because a job is input too. */
  private requirePhone({ phone: given }: LookupPhoneRequest): ParsedPhone {
    const phone = parsePhone(given, this.config.DEFAULT_REGION);
    if (phone) return phone;
    throw invalidRequest([phoneError('phone', given)]);
  }

  private async reply(
    phone: ParsedPhone,
    more: Pick<LookupData, 'live' | 'providerSilent'> = {},
  ): Promise<LookupReply> {
    const [planOperator, registry] = await Promise.all([
      this.plan.findOperator(phone),
      this.registry.find(phone.e164),
    ]);
    return toReply({ phone, planOperator, registry, ...more });
  }
}
