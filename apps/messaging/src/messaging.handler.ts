import * as dto from '@gangan/contracts';
import { requireOrganisationId } from '@gangan/protocol';
import { type BatchMember, Forwards, HandlesBatch, type TakenMembers } from '@gangan/queue';
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
@Forwards(dto.sendSms, MessagesService, (messages, ...call) => messages.send(...call))
@Forwards(dto.sendBulkSms, MessagesService, (messages, ...call) => messages.send(...call))
@Forwards(dto.sendSmsToSmartlist, MessagesService, (messages, ...call) => messages.send(...call))
@Forwards(dto.estimateSms, EstimatesService, (estimates, ...call) => estimates.estimate(...call))
@Forwards(dto.estimateLargeSms, EstimatesService, (estimates, ...call) => estimates.estimate(...call))
@Forwards(dto.findSms, MessagesService, (messages, ...call) => messages.find(...call))
@Forwards(dto.listSms, MessagesService, (messages, ...call) => messages.list(...call))
@Forwards(dto.pauseSms, ChangesService, (changes, ...call) => changes.change('pause', ...call))
@Forwards(dto.resumeSms, ChangesService, (changes, ...call) => changes.change('resume', ...call))
@Forwards(dto.cancelSms, ChangesService, (changes, ...call) => changes.change('cancel', ...call))
@Forwards(dto.createTemplate, TemplatesService, (templates, ...call) => templates.create(...call))
@Forwards(dto.findTemplate, TemplatesService, (templates, ...call) => templates.find(...call))
@Forwards(dto.listTemplates, TemplatesService, (templates, ...call) => templates.list(...call))
@Forwards(dto.changeTemplate, TemplatesService, (templates, ...call) => templates.change(...call))
@Forwards(dto.removeTemplate, TemplatesService, (templates, ...call) => templates.remove(...call))
@Forwards(dto.addOptOut, OptOutsService, (optOuts, ...call) => optOuts.add(...call))
@Forwards(dto.listOptOuts, OptOutsService, (optOuts, ...call) => optOuts.list(...call))
@Forwards(dto.removeOptOut, OptOutsService, (optOuts, ...call) => optOuts.remove(...call))
@Forwards(dto.listInbox, InboxService, (inbox, ...call) => inbox.list(...call))
@Forwards(dto.findInboxMessage, InboxService, (inbox, ...call) => inbox.find(...call))
@Forwards(dto.playInbound, SimulatorService, (simulator, ...call) => simulator.playInbound(...call))
@Forwards(dto.listOutbox, SimulatorService, (simulator, ...call) => simulator.listOutbox(...call))
@Forwards(dto.resolveLink, LinksService, (links, request) => links.resolve(request))
@Forwards(dto.countClicks, LinksService, (links, request) => links.count(request))
@Forwards(dto.listInboundProviders, InboundProviders, (providers) => providers.list())
@Forwards(dto.receiveInbound, InboundReceiver, (receiver, request) => receiver.receive(request))
@Forwards(dto.smsExpansionDue, AudienceRunner, (runner) => runner.look())
@Forwards(dto.smsChangeDue, ChangeRunner, (runner) => runner.look())
@Forwards(dto.deliveriesDue, ScheduleService, (service, { ids }, context) =>
  service.schedule({ trafficClass: 'sms', organisationId: requireOrganisationId(context) }, ids),
)
@Forwards(dto.otpDeliveryDue, ScheduleService, (service, { ids }, context) =>
  service.schedule({ trafficClass: 'otp', organisationId: requireOrganisationId(context) }, ids),
)
export class MessagingHandler {
  constructor(private readonly messages: MessagesService) {}

  @HandlesBatch(dto.sendSms)
  sendTogether(members: readonly BatchMember<typeof dto.sendSms>[]): TakenMembers<typeof dto.sendSms> {
    return this.messages.takePlain(members);
  }
}
