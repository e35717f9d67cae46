import {
  changeTemplate,
  type ChangeTemplateRequest,
  createTemplate,
  type CreateTemplateRequest,
  findTemplate,
  listTemplates,
  type PageQuery,
  type RecordId,
  removeTemplate,
  type Template,
  type TemplatePage,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { TemplatesService } from './templates.service.js';

@Controller()
export class TemplatesHandler {
  constructor(private readonly service: TemplatesService) {}

  @Handles(createTemplate)
  create(request: CreateTemplateRequest, context: RequestContext): Promise<Template> {
    return this.service.create(request, context);
  }

  @Handles(findTemplate)
  find(request: RecordId, context: RequestContext): Promise<Template> {
    return this.service.find(request, context);
  }

  @Handles(listTemplates)
  list(request: PageQuery, context: RequestContext): Promise<TemplatePage> {
    return this.service.list(request, context);
  }

  @Handles(changeTemplate)
  change(request: ChangeTemplateRequest, context: RequestContext): Promise<Template> {
    return this.service.change(request, context);
  }

  @Handles(removeTemplate)
  remove(request: RecordId, context: RequestContext): Promise<Template> {
    return this.service.remove(request, context);
  }
}
