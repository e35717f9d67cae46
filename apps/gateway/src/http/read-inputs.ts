import { parseQueryNumbers, validate } from '@gangan/contracts';
import { type Dto, type FieldError, invalidRequest } from '@gangan/protocol';
import type { FastifyRequest } from 'fastify';
import { jsonFaults } from './json-faults.js';
import { type Fields, mergeFields, withPlus } from './merged-fields.js';
import { faultsOf } from './request-faults.js';
import type { RouteInputs } from './route-inputs.js';

const mostErrors = 100;

/**
 * Puts the DTOs of a route where its controller finds them. An absent body is one without fields.
 * @throws AppError 400 with every invalid field at once, wherever in the request it stands
 */
export function readInputs(request: FastifyRequest, inputs: RouteInputs): void {
  const { body, query, bodyOrQuery, pathOrQuery } = inputs;
  const judged = new Judged(faultsOf(request));
  if (body) request.body = judged.dto(body, (request.body ?? {}) as Fields);
  if (query) request.query = judged.query(query, request.query as Fields);
  if (bodyOrQuery)
    request.query = judged.merged(bodyOrQuery, 'body', (request.body ?? {}) as Fields, request);
  if (pathOrQuery)
    request.query = judged.merged(pathOrQuery, 'path', withPlus(request.params as Fields), request);
  judged.refuseWhatIsInvalid();
}

class Judged {
  private readonly faults: FieldError[];
  private readonly invalid: FieldError[] = [];

  constructor(faults: readonly FieldError[]) {
    this.faults = [...faults];
  }

  dto(dto: Dto<object>, fields: Fields, query: Fields = {}): object {
    const result = validate(dto, fields);
    if (result.ok) return result.value;
    this.invalid.push(
      ...result.errors.map((error) => (Array.isArray(query[error.field]) ? repeated(error) : error)),
    );
    return fields;
  }

  query(dto: Dto<object>, query: Fields): object {
    this.faults.push(...jsonFaults(query));
    return this.dto(dto, parseQueryNumbers(dto, query) as Fields, query);
  }

  merged(dto: Dto<object>, place: 'body' | 'path', given: Fields, { query }: FastifyRequest): object {
    const { fields, contradictions } = mergeFields(
      place,
      given,
      parseQueryNumbers(dto, query as object) as Fields,
    );
    this.faults.push(...jsonFaults(query), ...contradictions);
    return this.dto(dto, fields, query as Fields);
  }

  /** Of text that nothing can hold it is not told besides that it is no phone number. */
  refuseWhatIsInvalid(): void {
    const faulty = this.faults.map(({ field }) => field);
    const others = this.invalid.filter(
      ({ field }) => !faulty.some((name) => field === name || field.startsWith(`${name}.`)),
    );
    const errors = [...this.faults, ...others];
    if (errors.length > 0) throw invalidRequest(errors.slice(0, mostErrors));
  }
}

/** That a list is no text is not what its caller wants to know, who wrote no list. */
const repeated = (error: FieldError): FieldError => ({
  ...error,
  message: `${error.field} is given more than once in the query`,
});
