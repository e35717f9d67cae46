import { type ContactRowsPage, queryContactRows, type QueryContactRowsRequest } from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { QueryService } from './query.service.js';

@Controller()
export class QueryHandler {
  constructor(private readonly service: QueryService) {}

  @Handles(queryContactRows)
  query(request: QueryContactRowsRequest, context: RequestContext): Promise<ContactRowsPage> {
    return this.service.query(request, context);
  }
}
