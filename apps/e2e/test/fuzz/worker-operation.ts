import { Schemas } from '@gangan/contracts';
import type { RequestContract } from '@gangan/protocol';
import { DocumentedApi, type Operation, type Schema } from '../interface/documented-api.js';
import type { RequestParts } from '../interface/request-parts.js';

/** The request of a worker in the form of a documented operation, so that both are filled in the same way. */
export function workerOperation(contract: RequestContract): { operation: Operation; api: DocumentedApi } {
  const schemas = new Schemas();
  const schema = schemas.inline(contract.request) as Schema;
  const document = { paths: {}, components: { schemas: schemas.components } };
  const operation = {
    tag: '',
    id: contract.name,
    method: 'POST',
    path: contract.name,
    isPublic: true,
    parameters: [],
    body: { schema, required: true, examples: [] },
    faults: () => undefined,
  };
  return { operation, api: new DocumentedApi(document) };
}

export function dataOf({ body = {} }: RequestParts): object {
  const fields = Object.entries(Buffer.isBuffer(body) ? {} : body);
  return Object.fromEntries(fields.map(([name, text]) => [name, JSON.parse(text) as unknown]));
}
