import {
  type ChangeTemplateRequest,
  type CreateTemplateRequest,
  type FindTemplateRequest,
  type PageQuery,
  type Template,
  type TemplatePage,
  defaultPageSize,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { templateAnswer } from './template-answer.js';
import { changedFields, fieldsOf } from './template-rules.js';
import { nameTaken, noSuchTemplate } from './templates.errors.js';
import { TemplateRepository } from './templates.repository.js';

@Injectable()
export class TemplateService {
  constructor(private readonly repository: TemplateRepository) {}

  async create(request: CreateTemplateRequest, context: RequestContext): Promise<Template> {
    const owned = { id: context.operationId, organisationId: requireOrganisationId(context) };
    const made = await this.repository.create(owned, fieldsOf(request), timeOfId(owned.id));
    if (!made) throw nameTaken();
    return templateAnswer(made);
  }

  async find({ id }: FindTemplateRequest, context: RequestContext): Promise<Template> {
    const found =
      isId(id) && (await this.repository.find({ id, organisationId: requireOrganisationId(context) }));
    if (!found) throw noSuchTemplate();
    return templateAnswer(found);
  }

  async list(request: PageQuery, context: RequestContext): Promise<TemplatePage> {
    const { limit = defaultPageSize, before } = request;
    const rows = await this.repository.list(requireOrganisationId(context), limit + 1, before?.toLowerCase());
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? page.at(-1)?.id : undefined;
    return {
      templates: page.map(templateAnswer),
      meta: {
        method: 'GET',
        resource: '/templates',
        pagination: { limit, ...(next !== undefined && { next }) },
      },
    };
  }

  async change({ id, ...change }: ChangeTemplateRequest, context: RequestContext): Promise<Template> {
    if (!isId(id)) throw noSuchTemplate();
    const owned = { id, organisationId: requireOrganisationId(context) };
    const changed = await this.repository.change(owned, (known) => changedFields(known, change));
    if (changed === 'absent') throw noSuchTemplate();
    if (changed === 'taken') throw nameTaken();
    return templateAnswer(changed);
  }

  async remove({ id }: FindTemplateRequest, context: RequestContext): Promise<Template> {
    const removed =
      isId(id) && (await this.repository.remove({ id, organisationId: requireOrganisationId(context) }));
    if (!removed) throw noSuchTemplate();
    return templateAnswer(removed);
  }
}
