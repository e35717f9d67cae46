import type * as dto from '@gangan/contracts';
import { defaultPageSize, formatTimestamp } from '@gangan/contracts';
import { readPage } from '@gangan/database';
import {
  type AppError,
  type FieldError,
  invalidRequest,
  isId,
  type RequestContext,
  requireOrganisationId,
  timeOfId,
} from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { OwnedId } from '../owned-rows.js';
import { placeholdersOf } from '../text/rendering.js';
import { changedFields, readFields } from './template-rules.js';
import { nameTaken, templateNotFound, tooManyTemplates } from './templates.errors.js';
import { type TemplateRow, TemplatesRepository } from './templates.repository.js';

/** The most templates of one organisation. */
const maxTemplates = 1_000;

@Injectable()
export class TemplatesService {
  constructor(private readonly repository: TemplatesRepository) {}

  async create(request: dto.CreateTemplateRequest, context: RequestContext): Promise<dto.Template> {
    const owned = { id: context.operationId, organisationId: requireOrganisationId(context) };
    const fields = readFields(request);
    if ('faults' in fields) throw await this.refusal(owned, request.name, fields.faults);
    const created = await this.repository.create(owned, fields, timeOfId(owned.id), maxTemplates);
    if (created === 'too_many') throw tooManyTemplates(maxTemplates);
    if (created === 'name_taken') throw invalidRequest([nameTaken()]);
    return templateResponse(created);
  }

  async find({ id }: dto.RecordId, context: RequestContext): Promise<dto.Template> {
    const organisationId = requireOrganisationId(context);
    const found = isId(id) && (await this.repository.find({ id, organisationId }));
    if (!found) throw templateNotFound();
    return templateResponse(found);
  }

  async list(request: dto.PageQuery, context: RequestContext): Promise<dto.TemplatePage> {
    const { limit = defaultPageSize, before } = request;
    const organisationId = requireOrganisationId(context);
    const { rows, pagination } = await readPage(limit, (size) =>
      this.repository.list(organisationId, size, before?.toLowerCase()),
    );
    return {
      templates: rows.map(templateResponse),
      meta: { method: 'GET', resource: '/templates', pagination },
    };
  }

  async change({ id, ...change }: dto.ChangeTemplateRequest, context: RequestContext): Promise<dto.Template> {
    if (!isId(id)) throw templateNotFound();
    const owned = { id, organisationId: requireOrganisationId(context) };
    const changed = await this.repository.change(owned, (known) => changedFields(known, change));
    if (changed === 'not_found') throw templateNotFound();
    if (changed === 'name_taken') throw invalidRequest([nameTaken()]);
    if ('faults' in changed) throw await this.refusal(owned, change.name, changed.faults);
    return templateResponse(changed);
  }

  /** The error with everything that is wrong, including a name that is taken. */
  private async refusal(
    owned: OwnedId,
    name: string | undefined,
    faults: readonly FieldError[],
  ): Promise<AppError> {
    const isTaken = name !== undefined && (await this.repository.isNameTaken(owned, name));
    return invalidRequest([...(isTaken ? [nameTaken()] : []), ...faults]);
  }

  async remove({ id }: dto.RecordId, context: RequestContext): Promise<dto.Template> {
    const organisationId = requireOrganisationId(context);
    const removed = isId(id) && (await this.repository.remove({ id, organisationId }));
    if (!removed) throw templateNotFound();
    return templateResponse(removed);
  }
}

const templateResponse = (row: TemplateRow): dto.Template => ({
  id: row.id,
  name: row.name,
  channel: row.channel,
  body: row.body,
  placeholders: placeholdersOf(row.body),
  ...(row.providerName !== null && { provider_name: row.providerName }),
  ...(row.language !== null && { language: row.language }),
  variables: [...row.variables],
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
});
