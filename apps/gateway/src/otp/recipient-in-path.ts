import { fromQuery, OtpsOfRecipientRequest } from '@gangan/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mergeFields, restorePlus } from '../http/body-or-query.js';

type Fields = Readonly<Record<string, unknown>>;

/** The number at the end of the path; the rest stands in the query. */
export const RecipientInPath = createParamDecorator((_: undefined, context: ExecutionContext): Fields => {
  const { params, query } = context.switchToHttp().getRequest<FastifyRequest>();
  const recipient = restorePlus((params as Fields)['recipient']);
  return mergeFields({ recipient }, fromQuery(OtpsOfRecipientRequest, query as Fields) as Fields);
});
