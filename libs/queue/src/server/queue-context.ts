import type { RequestContext } from '@gangan/protocol';
import { BaseRpcContext } from '@nestjs/microservices';

/** What guards, interceptors and handlers see of a request besides its data. */
export class QueueContext extends BaseRpcContext<[RequestContext]> implements RequestContext {
  readonly requestId: string;
  readonly operationId: string;
  readonly organisationId?: string;
  readonly apiKeyId?: string;

  constructor(context: RequestContext) {
    super([context]);
    this.requestId = context.requestId;
    this.operationId = context.operationId;
    if (context.organisationId) this.organisationId = context.organisationId;
    if (context.apiKeyId) this.apiKeyId = context.apiKeyId;
  }
}
