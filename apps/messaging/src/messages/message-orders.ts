import { Prices } from '@gangan/billing';
import type { SendSmsRequest } from '@gangan/contracts';
import {
  type FieldError,
  invalidRequest,
  isId,
  requireOrganisationId,
  type RequestContext,
  timeOfId,
} from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { SmartlistEstimates } from '../audience/smartlist-pricing.js';
import { MessageTexts } from '../text/message-text.js';
import { noProvider } from './messages.errors.js';
import { Providers } from '../providers/providers.js';
import { TemplateRepository } from '../templates/templates.repository.js';
import { deliveryIdsOf } from '../delivery-ids.js';
import { type Draft, draftOf } from './draft.js';
import { type Estimate, estimateOf } from './pricing.js';
import type { Order } from './order.js';
import { RulesOfOrganisations } from './sending-rules.js';

/** Who is told of so many knows what is wrong with the rest. */
const mostFaults = 100;

/** Makes an order of a request: who it goes to, what they read, and what that costs. */
@Injectable()
export class Drafting {
  constructor(
    private readonly rules: RulesOfOrganisations,
    private readonly templates: TemplateRepository,
    private readonly texts: MessageTexts,
    private readonly prices: Prices,
    private readonly providers: Providers,
    private readonly smartlists: SmartlistEstimates,
  ) {}

  /** @throws AppError 400 with everything that is wrong; 503 when there is nobody to send it */
  async orderOf(request: SendSmsRequest, context: RequestContext): Promise<Order> {
    const organisationId = requireOrganisationId(context);
    const { template_id: templateId, is_trackable: trackable = false } = request;
    const rules = await this.rules.of(organisationId);
    const template =
      templateId !== undefined && isId(templateId)
        ? await this.templates.find({ id: templateId, organisationId })
        : undefined;
    const draft = await draftOf(request, rules, template);
    // What a template's texts would be is not known before it is filled in rightly; else all is told at once.
    if (request.smartlist_id === undefined && draft.source === 'template_id') refuse(draft.faults);
    const estimate = await this.estimate(request, draft, trackable);
    refuse(estimate.faults);
    if (this.providers.of(rules.mode, draft.channel).length === 0) throw noProvider(draft.channel);
    return order(request, context, draft, estimate);
  }

  private async estimate(request: SendSmsRequest, draft: Draft, trackable: boolean): Promise<Estimate> {
    const { smartlist_id: smartlistId, phone_column: phoneColumn } = request;
    return smartlistId === undefined
      ? estimateOf(draft, trackable, this.texts, await this.prices.current())
      : this.smartlists.estimateOf({ smartlistId, phoneColumn }, draft, trackable);
  }
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidRequest(faults.slice(0, mostFaults));
}

function order(request: SendSmsRequest, context: RequestContext, draft: Draft, estimate: Estimate): Order {
  const ids = deliveryIdsOf(context.operationId, estimate.shares.length);
  return {
    ...draft.body,
    id: context.operationId,
    organisationId: requireOrganisationId(context),
    channel: draft.channel,
    sender: draft.sender,
    templateId: request.template_id ?? null,
    smartlistId: request.smartlist_id?.toLowerCase() ?? null,
    list: estimate.list ?? null,
    externalRef: request.external_ref ?? null,
    trackable: request.is_trackable ?? false,
    callbackUrl: request.callback ?? null,
    paging: estimate.paging,
    kobo: estimate.kobo,
    requestId: context.requestId,
    createdAt: timeOfId(context.operationId),
    deliveries: estimate.shares.map((share, place) => ({ ...share, id: ids[place] ?? '' })),
  };
}
