import * as dto from '@gangan/contracts';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AudienceRunner } from './audience/audience.runner.js';
import { LinksService } from './links/links.service.js';
import { MessagesService } from './messages/messages.service.js';
import { ScheduleService } from './schedule/schedule.service.js';
import { TemplatesService } from './templates/templates.service.js';

@Controller()
export class MessagingHandler {
  constructor(
    private readonly messages: MessagesService,
    private readonly templates: TemplatesService,
    private readonly links: LinksService,
    private readonly audience: AudienceRunner,
    private readonly schedule: ScheduleService,
  ) {}

  @Handles(dto.sendSms)
  send(request: dto.SendSmsRequest, context: RequestContext): Promise<dto.SmsMessage> {
    return this.messages.send(request, context);
  }

  @Handles(dto.sendBulkSms)
  sendBulk(request: dto.SendSmsRequest, context: RequestContext): Promise<dto.SmsMessage> {
    return this.messages.send(request, context);
  }

  @Handles(dto.sendSmsToSmartlist)
  sendToSmartlist(request: dto.SendSmsRequest, context: RequestContext): Promise<dto.SmsMessage> {
    return this.messages.send(request, context);
  }

  @Handles(dto.findSms)
  find(request: dto.FindSmsRequest, context: RequestContext): Promise<dto.SmsDetails> {
    return this.messages.find(request, context);
  }

  @Handles(dto.listSms)
  list(request: dto.ListSmsRequest, context: RequestContext): Promise<dto.SmsPage> {
    return this.messages.list(request, context);
  }

  @Handles(dto.createTemplate)
  createTemplate(request: dto.CreateTemplateRequest, context: RequestContext): Promise<dto.Template> {
    return this.templates.create(request, context);
  }

  @Handles(dto.findTemplate)
  findTemplate(request: dto.RecordId, context: RequestContext): Promise<dto.Template> {
    return this.templates.find(request, context);
  }

  @Handles(dto.listTemplates)
  listTemplates(request: dto.PageQuery, context: RequestContext): Promise<dto.TemplatePage> {
    return this.templates.list(request, context);
  }

  @Handles(dto.changeTemplate)
  changeTemplate(request: dto.ChangeTemplateRequest, context: RequestContext): Promise<dto.Template> {
    return this.templates.change(request, context);
  }

  @Handles(dto.removeTemplate)
  removeTemplate(request: dto.RecordId, context: RequestContext): Promise<dto.Template> {
    return this.templates.remove(request, context);
  }

  @Handles(dto.resolveLink)
  resolveLink(request: dto.ResolveLinkRequest): Promise<dto.ResolvedLink> {
    return this.links.resolve(request);
  }

  @Handles(dto.countClicks)
  countClicks(request: dto.CountClicksRequest): Promise<dto.CountedClicks> {
    return this.links.count(request);
  }

  @Handles(dto.smsExpansionDue)
  expand(): Promise<boolean> {
    return this.audience.look();
  }

  @Handles(dto.deliveriesDue)
  deliver({ ids }: dto.DeliveriesDue, context: RequestContext): Promise<void> {
    const organisationId = requireOrganisationId(context);
    return this.schedule.schedule({ trafficClass: 'sms', organisationId }, ids);
  }

  @Handles(dto.otpDeliveryDue)
  deliverOtp({ ids }: dto.DeliveriesDue, context: RequestContext): Promise<void> {
    const organisationId = requireOrganisationId(context);
    return this.schedule.schedule({ trafficClass: 'otp', organisationId }, ids);
  }
}
