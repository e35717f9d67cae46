import {
  type CallbackDetails,
  type CallbackPage,
  type FindCallbackRequest,
  type ListCallbacksRequest,
  defaultPageSize,
} from '@gangan/contracts';
import { type AppError, isId, notFound, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { Nudges } from '../dispatch/nudges.js';
import { detailsOf, summaryOf } from './callback-answer.js';
import { type Owned, ReadingRepository } from './reading.repository.js';

/** What the owner of callbacks sees of them, and their wish to have one sent again. */
@Injectable()
export class ReadingService {
  constructor(
    private readonly repository: ReadingRepository,
    private readonly nudges: Nudges,
  ) {}

  async list(
    { limit = defaultPageSize, before, status, type, resource_id: resourceId }: ListCallbacksRequest,
    context: RequestContext,
  ): Promise<CallbackPage> {
    const organisationId = requireOrganisationId(context);
    const wish = { organisationId, limit: limit + 1, before, status, type, resourceId };
    const rows = await this.repository.list(wish);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? page.at(-1)?.id : undefined;
    return {
      callbacks: page.map(summaryOf),
      meta: {
        method: 'GET',
        resource: '/callbacks',
        pagination: { limit, ...(next !== undefined && { next }) },
      },
    };
  }

  async find(request: FindCallbackRequest, context: RequestContext): Promise<CallbackDetails> {
    return this.read(ownedBy(context, request));
  }

  async resend(request: FindCallbackRequest, context: RequestContext): Promise<CallbackDetails> {
    const asked = ownedBy(context, request);
    if (!(await this.repository.makeDue(asked))) throw noSuchCallback();
    const callback = await this.read(asked);
    this.nudges.hear(asked.id);
    return callback;
  }

  private async read(asked: Owned): Promise<CallbackDetails> {
    const found = await this.repository.find(asked);
    if (!found) throw noSuchCallback();
    return detailsOf(found);
  }
}

const noSuchCallback = (): AppError => notFound('The callback');

/** @throws AppError 404 for what cannot be an id: it names as little as one that is unknown */
function ownedBy(context: RequestContext, { id }: FindCallbackRequest): Owned {
  if (!isId(id)) throw noSuchCallback();
  return { id, organisationId: requireOrganisationId(context) };
}
