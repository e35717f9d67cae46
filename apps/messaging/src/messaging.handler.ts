import * as dto from '@gangan/contracts';
import { type RequestContext, requireOrganisationId } from '@gangan/protocol';
import { type BatchMember, Handles, HandlesBatch, type TakenMembers } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AudienceRunner } from './audience/audience.service.js';
import { ChangeRunner } from './changes/change-job.js';
import { ChangesService } from './changes/changes.service.js';
import { EstimatesService } from './estimates/estimates.service.js';
import { InboundProviders } from './inbound/inbound-providers.js';
import { InboundReceiver } from './inbound/inbound-receiver.js';
import { InboxService } from './inbox/inbox.service.js';
import { LinksService } from './links/links.service.js';
import { MessagesService } from './messages/messages.service.js';
import { OptOutsService } from './opt-outs/opt-outs.service.js';
import { ScheduleService } from './schedule/schedule.service.js';
import { SimulatorService } from './simulator/simulator.service.js';
import { TemplatesService } from './templates/templates.service.js';

@Controller()
export class MessagingHandler {
  constructor(
    private readonly messages: MessagesService,
    private readonly estimates: EstimatesService,
    private readonly changes: ChangesService,
    private readonly templates: TemplatesService,
    private readonly optOuts: OptOutsService,
    private readonly inbox: InboxService,
    private readonly simulator: SimulatorService,
    private readonly links: LinksService,
    private readonly inboundProviders: InboundProviders,
    private readonly inboundReceiver: InboundReceiver,
    private readonly audienceRunner: AudienceRunner,
    private readonly changeRunner: ChangeRunner,
    private readonly schedule: ScheduleService,
  ) {}

  @Handles(dto.sendSms)
  sendSms(request: dto.SendSmsRequest, context: RequestContext) {
    return this.messages.send(request, context);
  }

  @Handles(dto.sendBulkSms)
  sendBulkSms(request: dto.SendSmsRequest, context: RequestContext) {
    return this.messages.send(request, context);
  }

  @Handles(dto.sendSmsToSmartlist)
  sendSmsToSmartlist(request: dto.SendSmsRequest, context: RequestContext) {
    return this.messages.send(request, context);
  }

  @Handles(dto.estimateSms)
  estimateSms(request: dto.SendSmsRequest, context: RequestContext) {
    return this.estimates.estimate(request, context);
  }

  @Handles(dto.estimateLargeSms)
  estimateLargeSms(request: dto.SendSmsRequest, context: RequestContext) {
    return this.estimates.estimate(request, context);
  }

  @Handles(dto.findSms)
  findSms(request: dto.FindSmsRequest, context: RequestContext) {
    return this.messages.find(request, context);
  }

  @Handles(dto.listSms)
  listSms(request: dto.ListSmsRequest, context: RequestContext) {
    return this.messages.list(request, context);
  }

  @Handles(dto.pauseSms)
  pauseSms(request: dto.RecordId, context: RequestContext) {
    return this.changes.change('pause', request, context);
  }

  @Handles(dto.resumeSms)
  resumeSms(request: dto.RecordId, context: RequestContext) {
    return this.changes.change('resume', request, context);
  }

  @Handles(dto.cancelSms)
  cancelSms(request: dto.RecordId, context: RequestContext) {
    return this.changes.change('cancel', request, context);
  }

  @Handles(dto.createTemplate)
  createTemplate(request: dto.CreateTemplateRequest, context: RequestContext) {
    return this.templates.create(request, context);
  }

  @Handles(dto.findTemplate)
  findTemplate(request: dto.RecordId, context: RequestContext) {
    return this.templates.find(request, context);
  }

  @Handles(dto.listTemplates)
  listTemplates(request: dto.PageQuery, context: RequestContext) {
    return this.templates.list(request, context);
  }

  @Handles(dto.changeTemplate)
  changeTemplate(request: dto.ChangeTemplateRequest, context: RequestContext) {
    return this.templates.change(request, context);
  }

  @Handles(dto.removeTemplate)
  removeTemplate(request: dto.RecordId, context: RequestContext) {
    return this.templates.remove(request, context);
  }

  @Handles(dto.addOptOut)
  addOptOut(request: dto.AddOptOutRequest, context: RequestContext) {
    return this.optOuts.add(request, context);
  }

  @Handles(dto.listOptOuts)
  listOptOuts(request: dto.ListOptOutsRequest, context: RequestContext) {
    return this.optOuts.list(request, context);
  }

  @Handles(dto.removeOptOut)
  removeOptOut(request: dto.RecordId, context: RequestContext) {
    return this.optOuts.remove(request, context);
  }

  @Handles(dto.listInbox)
  listInbox(request: dto.ListInboxRequest, context: RequestContext) {
    return this.inbox.list(request, context);
  }

  @Handles(dto.findInboxMessage)
  findInboxMessage(request: dto.RecordId, context: RequestContext) {
    return this.inbox.find(request, context);
  }

  @Handles(dto.playInbound)
  playInbound(request: dto.PlayInboundRequest, context: RequestContext) {
    return this.simulator.playInbound(request, context);
  }

  @Handles(dto.listOutbox)
  listOutbox(request: dto.ListOutboxRequest, context: RequestContext) {
    return this.simulator.listOutbox(request, context);
  }

  @Handles(dto.resolveLink)
  resolveLink(request: dto.ResolveLinkRequest) {
    return this.links.resolve(request);
  }

  @Handles(dto.countClicks)
  countClicks(request: dto.CountClicksRequest) {
    return this.links.count(request);
  }

  @Handles(dto.listInboundProviders)
  listInboundProviders() {
    return this.inboundProviders.list();
  }

  @Handles(dto.receiveInbound)
  receiveInbound(request: dto.ReceiveInbound) {
    return this.inboundReceiver.receive(request);
  }

  @Handles(dto.smsExpansionDue)
  smsExpansionDue() {
    return this.audienceRunner.look();
  }

  @Handles(dto.smsChangeDue)
  smsChangeDue() {
    return this.changeRunner.look();
  }

  @Handles(dto.deliveriesDue)
  deliveriesDue({ ids }: dto.DeliveriesDue, context: RequestContext) {
    return this.schedule.schedule(
      { trafficClass: 'sms', organisationId: requireOrganisationId(context) },
      ids,
    );
  }

  @Handles(dto.otpDeliveryDue)
  otpDeliveryDue({ ids }: dto.DeliveriesDue, context: RequestContext) {
    return this.schedule.schedule(
      { trafficClass: 'otp', organisationId: requireOrganisationId(context) },
      ids,
    );
  }

  @HandlesBatch(dto.sendSms)
  sendTogether(members: readonly BatchMember<typeof dto.sendSms>[]): TakenMembers<typeof dto.sendSms> {
    return this.messages.takePlain(members);
  }
}
