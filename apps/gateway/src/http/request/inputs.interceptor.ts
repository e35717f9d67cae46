import { ContractSettings, parseQueryNumbers, validate } from '@gangan/contracts';
import { type Dto, type FieldError, invalidRequest } from '@gangan/protocol';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { faultsOf, jsonFaults } from './json-faults.js';
import { type Fields, mergeFields, withPlus } from './merged-fields.js';
import { inputsOf, type RouteInputs } from './route-inputs.js';

const maxErrors = 100;

/**
 * Validates the DTOs of every controller method. Not a ValidationPipe: a pipe sees one argument at a time and cannot
 * report all invalid fields of a request together.
 */
@Injectable()
export class InputsInterceptor implements NestInterceptor {
  private readonly inputs = new Map<unknown, RouteInputs>();

  constructor(private readonly settings: ContractSettings) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    readInputs(
      context.switchToHttp().getRequest<FastifyRequest>(),
      this.inputsOf(context.getClass(), context.getHandler()),
      this.settings,
    );
    return next.handle();
  }

  private inputsOf(controller: Type, method: { readonly name: string }): RouteInputs {
    const inputs = this.inputs.get(method) ?? inputsOf(controller, method.name);
    this.inputs.set(method, inputs);
    return inputs;
  }
}

/** Replaces body and query of the request by validated DTOs. @throws AppError 400 with every invalid field */
function readInputs(request: FastifyRequest, inputs: RouteInputs, settings: ContractSettings): void {
  const { body, query, bodyOrQuery, pathOrQuery } = inputs;
  const validation = new Validation(faultsOf(request), settings);
  const given = (request.body ?? {}) as Fields;
  if (body) request.body = validation.dto(body, given);
  if (query) request.query = validation.query(query, request.query as Fields);
  if (bodyOrQuery) request.query = validation.merged(bodyOrQuery, 'body', given, request);
  if (pathOrQuery)
    request.query = validation.merged(pathOrQuery, 'path', withPlus(request.params as Fields), request);
  validation.throwIfInvalid();
}

class Validation {
  private readonly faults: FieldError[];
  private readonly invalid: FieldError[] = [];

  constructor(
    faults: readonly FieldError[],
    private readonly settings: ContractSettings,
  ) {
    this.faults = [...faults];
  }

  dto(dto: Dto<object>, fields: Fields, query: Fields = {}): object {
    const result = validate(dto, fields, this.settings);
    if (result.ok) return result.value;
    this.invalid.push(
      ...result.errors.map((error) => (Array.isArray(query[error.field]) ? repeatedField(error) : error)),
    );
    return fields;
  }

  query(dto: Dto<object>, query: Fields): object {
    this.faults.push(...jsonFaults(query));
    return this.dto(dto, parseQueryNumbers(dto, query) as Fields, query);
  }

  merged(dto: Dto<object>, source: 'body' | 'path', given: Fields, { query }: FastifyRequest): object {
    const { fields, contradictions } = mergeFields(
      source,
      given,
      parseQueryNumbers(dto, query as object) as Fields,
    );
    this.faults.push(...jsonFaults(query), ...contradictions);
    return this.dto(dto, fields, query as Fields);
  }

  /** A field with a fault is reported once: further errors of the same field are left out. */
  throwIfInvalid(): void {
    const faulty = this.faults.map(({ field }) => field);
    const others = this.invalid.filter(
      ({ field }) => !faulty.some((name) => field === name || field.startsWith(`${name}.`)),
    );
    const errors = [...this.faults, ...others];
    if (errors.length > 0) throw invalidRequest(errors.slice(0, maxErrors));
  }
}

/** A repeated query parameter arrives as a list. "must be a string" would not say what is wrong. */
const repeatedField = (error: FieldError): FieldError => ({
  ...error,
  message: `${error.field} is given more than once in the query`,
});
